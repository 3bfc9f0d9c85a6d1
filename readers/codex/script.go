package codex

import (
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// script is a call in code mode: JavaScript that itself makes tool calls. No field of
// these calls names the script, so the reader finds the script by turn and time.
type script struct {
	*call
	turn     string
	from, to time.Time // to is zero while the script may still make calls
	cell     string    // name of the script, if it still ran after an output
	held     []*nested // calls that ended before the script's first output, not emitted yet
	commands []*scriptCommand
	code     string   // the script's text without strings and comments
	quotes   bool     // the script's text has words of a refusal
	parts    []string // output so far; nil once the script has ended
	saved    []prefix // prefixes allowed for good while the script ran, not yet assigned to a call
	made     int      // number of calls without an item
	children []*call
}

// scripts holds the scripts of a session, by turn and by name.
type scripts struct {
	byTurn map[string][]*script
	cells  map[string]*script // the last script of each name
	last   *script
}

// isScript reports whether a call runs code (`exec`) or waits for running code
// (`wait`). Agents also have a `wait`, which names no cell.
func (t *rollout) isScript(r *record, name, namespace string) bool {
	switch {
	case namespace != "":
		return false
	case name == "exec":
		return r.sub == "custom_tool_call"
	case name == "wait":
		args := t.parsed(r.Get("arguments"))
		return args != nil && args.Exists("cell_id")
	}
	return false
}

// begin notes a new script when it reads the line of the script's call. It ignores wait
// calls.
func (t *rollout) begin(r *record, info *call, js string) {
	if info.ToolName != "exec" {
		return
	}
	s := &script{call: info, turn: t.turnOf(r), from: r.at, commands: commandsIn(js), code: codeOnly(js), quotes: refusalQuoted.MatchString(js)}
	info.script = s
	all := &t.scripts
	if all.byTurn == nil {
		all.byTurn, all.cells = map[string][]*script{}, map[string]*script{}
	}
	all.byTurn[s.turn] = append(all.byTurn[s.turn], s)
	all.last = s
}

// turnOf returns the id of the turn that a line names; the running turn if it names
// none.
func (t *rollout) turnOf(r *record) string {
	for _, keys := range [][]string{{"turn_id"}, {"internal_chat_message_metadata_passthrough", "turn_id"}} {
		if id := readers.Text(r.Value, keys...); id != "" {
			return id
		}
	}
	return t.turnID
}

// clockSlack is the tolerance when times are compared: a call may seem to begin a
// little before its script's line, and an answer may seem to lie a little outside the
// script's time.
const clockSlack = 250 * time.Millisecond

func (s *script) ran(at time.Time) bool {
	return !at.Before(s.from.Add(-clockSlack)) && (s.to.IsZero() || !at.After(s.to))
}

// names reports whether the script's text has the command as one literal.
func (s *script) names(command string) bool { return s.command(command) != nil }

func (s *script) command(command string) *scriptCommand {
	for _, c := range s.commands {
		if c.literal && c.command == command && !c.taken {
			return c
		}
	}
	return nil
}

// take returns the command of the script's text that matches a call, and marks it as
// taken. A command written as one literal must be the same. Otherwise the first command
// that the script puts together at run time matches. nil if none is left.
func (s *script) take(command string) *scriptCommand {
	c := s.command(command)
	for i := 0; c == nil && i < len(s.commands); i++ {
		if other := s.commands[i]; !other.literal && !other.taken {
			c = other
		}
	}
	if c != nil {
		c.taken = true
	}
	return c
}

// scriptOf returns the script that made a call; nil if none. Scripts of one response
// run one after the other, though Codex writes their lines together. So the first
// unfinished script is the maker, unless another script's text has the call's command.
func (t *rollout) scriptOf(n *nested) *script {
	var running []*script
	all := t.scripts.byTurn[n.turn]
	for _, s := range all {
		if s.ran(n.started) {
			running = append(running, s)
		}
	}
	for _, s := range running {
		if n.Command != "" && s.names(n.Command) {
			return s
		}
	}
	for _, s := range running {
		if s.cell == "" {
			return s
		}
	}
	switch {
	case len(running) > 0:
		return running[0]
	case !strings.HasPrefix(n.ToolUseID, nestedID):
		return nil
	case len(all) > 0:
		return all[len(all)-1]
	case n.turn == "":
		return t.scripts.last
	}
	return nil
}

// scriptEnded takes the output of a script, or of a wait call for the script. It emits
// the script's calls held back until now. If the script has ended, it also emits the
// calls that no item describes, as far as the script's text names them.
func (t *rollout) scriptEnded(r *record, info *call, f *framed, parts []string) {
	s := info.script
	if s == nil {
		s = t.scripts.cells[info.cell]
	}
	if s == nil || !s.to.IsZero() {
		return
	}
	t.flush(s)
	s.parts = append(s.parts, withoutHead(parts)...)
	if f.cell != "" {
		s.cell, t.scripts.cells[f.cell] = f.cell, s
		return
	}
	if info.cell != "" && strings.Contains(f.text, "exec cell "+info.cell+" not found") {
		return
	}
	s.to = r.at
	if reason, ok := afterLast(f.text, scriptError); ok && f.script == "failed" && sandboxDenied.MatchString(reason) {
		s.wasDenied()
	}
	if !f.aborted() {
		t.declines(r, s, f)
		t.deniedWithin(r, s)
		t.unrecorded(r, s, f)
	}
	s.parts = nil
}

// wasDenied handles a script that failed because the sandbox stopped a command: the
// script's last command. It changes that command's error type to "sandbox".
func (s *script) wasDenied() {
	if n := len(s.children); n > 0 && s.children[n-1].result != nil && s.children[n-1].result.ErrorType == tables.ErrorExitCode {
		s.children[n-1].result.ErrorType = tables.ErrorSandbox
	}
}

// flush emits the calls held back because they ended before the script's first output.
func (t *rollout) flush(s *script) {
	held := s.held
	s.held = nil
	for _, n := range held {
		t.tellNested(n)
	}
}

// flushAll flushes all scripts, including scripts without an output.
func (t *rollout) flushAll() {
	for _, list := range t.scripts.byTurn {
		for _, s := range list {
			t.flush(s)
		}
	}
}
