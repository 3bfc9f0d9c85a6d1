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
	turn       string
	from, to   time.Time // to is zero while the script may still make calls
	cell       string    // name of the script, if it still ran after an output
	held       []*nested // calls that ended before the script's first output, not emitted yet
	commands   []*scriptCommand
	code       string          // the script's text without strings and comments
	quotes     bool            // the script's text has words of a refusal
	parts      []string        // output so far; nil once the script has ended
	saved      []commandPrefix // prefixes allowed for good while the script ran, not yet assigned to a call
	unrecorded int             // number of calls without an item
	children   []*call
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
		args := t.parseArgument(r.Get("arguments"))
		return args != nil && args.Exists("cell_id")
	}
	return false
}

// addScript records a new script when it reads the line of the script's call. It
// ignores wait calls.
func (t *rollout) addScript(r *record, info *call, js string) {
	if info.ToolName != "exec" {
		return
	}
	s := &script{call: info, turn: t.turnOf(r), from: r.at, commands: findCommands(js), code: codeOnly(js), quotes: refusalQuoted.MatchString(js)}
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

func (s *script) ranAt(at time.Time) bool {
	return !at.Before(s.from.Add(-clockSlack)) && (s.to.IsZero() || !at.After(s.to))
}

func (s *script) findCommand(command string) *scriptCommand {
	for _, c := range s.commands {
		if c.literal && c.command == command && !c.isMatched {
			return c
		}
	}
	return nil
}

// claimCommand returns the command of the script's text that matches a call, and marks
// it as taken. A command written as one literal must be the same. Otherwise the first
// command that the script puts together at run time matches. The result is nil if none is
// left.
func (s *script) claimCommand(command string) *scriptCommand {
	c := s.findCommand(command)
	for i := 0; c == nil && i < len(s.commands); i++ {
		if other := s.commands[i]; !other.literal && !other.isMatched {
			c = other
		}
	}
	if c != nil {
		c.isMatched = true
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
		if s.ranAt(n.started) {
			running = append(running, s)
		}
	}
	for _, s := range running {
		if n.Command != "" && s.findCommand(n.Command) != nil {
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

// handleScriptOutput handles the output of a script, or of a wait call for the script.
// It emits the script's calls held back until now. If the script has ended, it also
// emits the calls that no item describes, as far as the script's text names them.
func (t *rollout) handleScriptOutput(r *record, info *call, f *framedOutput, parts []string) {
	s := info.script
	if s == nil {
		s = t.scripts.cells[info.cell]
	}
	if s == nil || !s.to.IsZero() {
		return
	}
	t.emitHeld(s)
	s.parts = append(s.parts, withoutHead(parts)...)
	if f.cell != "" {
		s.cell, t.scripts.cells[f.cell] = f.cell, s
		return
	}
	if info.cell != "" && strings.Contains(f.text, "exec cell "+info.cell+" not found") {
		return
	}
	s.to = r.at
	if reason, ok := afterLast(f.text, scriptError); ok && f.script == "failed" && sandboxDenied.MatchString(reason) && len(s.children) > 0 {
		// The script failed because the sandbox stopped its last command.
		if e := s.children[len(s.children)-1].result; e != nil && e.ErrorType == tables.ErrorExitCode {
			e.ErrorType = tables.ErrorSandbox
		}
	}
	if !f.isAborted() {
		t.emitScriptRefusals(r, s, f)
		t.emitDeniedCalls(r, s)
		t.emitUnrecordedCalls(r, s, f)
	}
	s.parts = nil
}

// emitHeld emits the calls held back because they ended before the script's first output.
func (t *rollout) emitHeld(s *script) {
	held := s.held
	s.held = nil
	for _, n := range held {
		t.emitNested(n)
	}
}

// emitAllHeld flushes all scripts, including scripts without an output.
func (t *rollout) emitAllHeld() {
	for _, list := range t.scripts.byTurn {
		for _, s := range list {
			t.emitHeld(s)
		}
	}
}
