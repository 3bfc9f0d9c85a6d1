package codex

import (
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// script is a call of code mode: JavaScript that makes calls of its own. No
// field of theirs names it; it is known by the turn and the time in which it ran.
type script struct {
	*call
	turn     string
	from, to time.Time // to is zero while the script may still make calls
	cell     string    // the name under which it goes on after its output
	held     []*nested // calls that ended before the script gave an output
	commands []*scriptCommand
	code     string   // its text without strings and comments
	quotes   bool     // its text has the words of a refusal in it
	parts    []string // its output so far; nil once the script has ended
	saved    []prefix // that the user allowed for good while it ran, and of which no call is known yet
	made     int      // calls that no item tells of
	children []*call
}

// scripts are those of a file.
type scripts struct {
	byTurn map[string][]*script
	cells  map[string]*script // the last of each name
	last   *script
}

// isScript: `exec` runs code, and `wait` waits for code that goes on. Agents
// have a `wait` too, which names no cell.
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

// begin notes a script whose call was read.
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

// turnOf is the turn that a line names, or the one that runs.
func (t *rollout) turnOf(r *record) string {
	for _, keys := range [][]string{{"turn_id"}, {"internal_chat_message_metadata_passthrough", "turn_id"}} {
		if id := readers.Text(r.Value, keys...); id != "" {
			return id
		}
	}
	return t.turnID
}

// clockSlack is how much earlier a call may seem to begin than the line of its
// script was written.
const clockSlack = 250 * time.Millisecond

func (s *script) ran(at time.Time) bool {
	return !at.Before(s.from.Add(-clockSlack)) && (s.to.IsZero() || !at.After(s.to))
}

// names says whether the script's text has the command as it is.
func (s *script) names(command string) bool { return s.command(command) != nil }

func (s *script) command(command string) *scriptCommand {
	for _, c := range s.commands {
		if c.literal && c.command == command && !c.taken {
			return c
		}
	}
	return nil
}

// take is the command of the text that a call is: the one that has it as it is,
// else one whose command is put together. Nil for none.
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

// scriptOf finds the script that made a call. Scripts of one response run one
// after the other, though their lines are written together: the first that
// hasn't ended is the one, unless only another has the command in its text.
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

// scriptEnded takes what a script, or a wait for it, gave: the calls that it
// made stand behind it, and those that no item tells of are told by its text.
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

// wasDenied: the command that the script died of failed because of the sandbox.
func (s *script) wasDenied() {
	if n := len(s.children); n > 0 && s.children[n-1].result != nil && s.children[n-1].result.ErrorType == tables.ErrorExitCode {
		s.children[n-1].result.ErrorType = tables.ErrorSandbox
	}
}

// flush emits the calls that ended before their script gave an output.
func (t *rollout) flush(s *script) {
	held := s.held
	s.held = nil
	for _, n := range held {
		t.tellNested(n)
	}
}

// flushAll does so for the scripts that never gave one.
func (t *rollout) flushAll() {
	for _, list := range t.scripts.byTurn {
		for _, s := range list {
			t.flush(s)
		}
	}
}
