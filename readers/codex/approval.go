package codex

import (
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// consent is what held, when a call was made, of who would be asked about it.
type consent struct {
	policy   string // approval policy; empty where it is none of the plain words
	reviewer string // who answers in the user's place; empty or "user" for nobody
	ruled    bool   // a prefix that was saved before allows the command
	saved    bool   // the user granted the call, and its prefix for good
}

const (
	policyNever     = "never"     // no call is asked about
	policyUntrusted = "untrusted" // every command is, but for a few known ones
	reviewerUser    = "user"
)

// consents notes what holds for a call that is being made.
func (t *rollout) consents(c *tables.ToolCall) consent {
	return consent{policy: t.facts.approval, reviewer: t.facts.reviewer, ruled: t.ruled(c.Command)}
}

// asksUser says whether the user could be asked about the call at all. Where it
// could not, a stop was no refusal.
func (c *consent) asksUser() bool {
	return c.policy != policyNever && !c.reviewed() && !c.ruled && !c.saved
}

// reviewed says whether a model answers in the user's place.
func (c *consent) reviewed() bool { return c.reviewer != "" && c.reviewer != reviewerUser }

// prefix is the beginning of commands that the user allowed for good.
type prefix []string

// shellMeta are what makes more of a command than its words.
const shellMeta = "&|;<>()$`\n\"'\\"

// covers says whether a command begins with the prefix.
func (p prefix) covers(command string) bool {
	words := strings.Fields(command)
	if len(p) == 0 || len(words) < len(p) {
		return false
	}
	for i, w := range p {
		if strings.Trim(words[i], `"'`) != w {
			return false
		}
	}
	return true
}

// ruled says whether a saved prefix allows the command without a question. Of a
// command of several parts that is not known: each part needs a rule.
func (t *rollout) ruled(command string) bool {
	if command == "" || strings.ContainsAny(strings.TrimSpace(command), shellMeta) {
		return false
	}
	for _, p := range t.prefixes {
		if p.covers(command) {
			return true
		}
	}
	return false
}

// worldState takes the prefixes that were saved before, in this session or an
// older one.
func (t *rollout) worldState(r *record) {
	list := r.Get("state", "permissions", "approved_command_prefixes")
	if list == nil || list.Type() != fastjson.TypeArray {
		return
	}
	t.prefixes = t.prefixes[:0]
	for _, v := range list.GetArray() {
		t.prefixes = append(t.prefixes, prefixOf(v))
	}
}

func prefixOf(v *fastjson.Value) prefix {
	var p prefix
	for _, w := range v.GetArray() {
		p = append(p, readers.Text(w))
	}
	return p
}

const prefixSaved = "Approved command prefix saved:"

// prefixesSaved takes the instructions by which Codex tells the model that the
// user granted a call, and all that begin alike: the surest trace of a grant.
func (t *rollout) prefixesSaved(text string) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), prefixSaved)
	if !ok {
		return
	}
	for line := range strings.Lines(rest) {
		v, err := t.parser.Parse(strings.TrimPrefix(strings.TrimSpace(line), "- "))
		if err != nil || v.Type() != fastjson.TypeArray {
			continue
		}
		p := prefixOf(v)
		if info := t.turn.granted(p); info != nil {
			info.consent.saved = true
			t.withdraw(info)
		}
		t.prefixes = append(t.prefixes, p)
	}
}

// granted is the call of the turn whose prefix was saved: the last that begins
// with it, else, where a script hides the command, the last that asked.
func (t *turn) granted(p prefix) *call {
	var asked *call
	for i := len(t.open) - 1; i >= 0; i-- {
		c := t.open[i]
		if c.ToolKind == tables.ToolCommand && p.covers(c.Command) {
			return c
		}
		if child := c.script.covered(p); child != nil {
			return child
		}
		if asked == nil && c.escalated {
			asked = c
		}
	}
	return asked
}

// covered is the last command of a script that begins with a prefix; nil for
// none, and for a call that is no script.
func (s *script) covered(p prefix) *call {
	if s == nil {
		return nil
	}
	for i := len(s.children) - 1; i >= 0; i-- {
		if c := s.children[i]; c.ToolKind == tables.ToolCommand && p.covers(c.Command) {
			return c
		}
	}
	return nil
}

// withdraw takes back a refusal that was inferred from a stop: the call had
// been granted, or had begun.
func (t *rollout) withdraw(info *call) {
	if info.inferred == nil {
		return
	}
	info.inferred.Void = true
	info.inferred, info.refused = nil, false
	if info.result != nil {
		info.result.Status = tables.StatusInterrupted
	}
	if t.turn.refused == info {
		t.turn.refused = nil
	}
	if info.stop != nil {
		info.stop.Phase, info.stop.PairedRejection = tables.PhaseTool, false
	}
}

// How sure a grant is that no line states.
const (
	grantedAsAsked = 0.9 // it asked to leave the sandbox, and ran
	grantedInTime  = 0.8 // it waited before it ran, as for an answer
	patchedInTime  = 0.7 // the same of a patch, whose own time is not recorded
)

// Waits of this many milliseconds are a person's: without a question a call
// begins at once. A patch is given time to be written.
const (
	leastWait      = 500
	leastPatchWait = 2000
)

// decide tells, at the end of the file, that a call was granted, as far as the
// log shows it. A rollout has neither Codex's questions nor the answers; the
// database that has them forgets.
func (t *rollout) decide(info *call) {
	if t.decided(info) {
		return
	}
	d := &tables.Decision{ToolUseID: info.ToolUseID, Decision: tables.Granted}
	waited := info.waited()
	switch c := &info.consent; {
	case c.saved:
		d.DecidedBy, d.Scope, d.Confidence, d.WaitedMS = tables.ByUser, tables.ScopeAlways, 1, waited
	case !info.ran():
		return
	case c.policy == policyNever:
		d.DecidedBy, d.Confidence = tables.ByMode, grantedAsAsked
	case info.escalated && c.ruled:
		d.DecidedBy, d.Confidence = tables.ByRule, grantedAsAsked
	case c.reviewed() && (info.escalated || waited.OK):
		d.DecidedBy, d.Confidence = tables.ByClassifier, grantedInTime
	case waited.OK:
		d.DecidedBy, d.Confidence, d.WaitedMS = tables.ByUser, grantedInTime, waited
		if info.ToolKind == tables.ToolEdit {
			d.Confidence = patchedInTime
		}
	case info.escalated:
		d.DecidedBy, d.Confidence = tables.ByUnknown, grantedAsAsked
	default:
		return
	}
	t.emit(d)
}

// ran says whether a call that Codex may ask about was carried out. Writing to a
// process goes with the call that began it.
func (c *call) ran() bool {
	if c.ToolName == "write_stdin" {
		return false
	}
	switch c.ToolKind {
	case tables.ToolCommand, tables.ToolEdit, tables.ToolMCP:
	default:
		return false
	}
	return c.result != nil && (c.result.Status == tables.StatusOK || c.result.Status == tables.StatusError && c.result.ErrorType != tables.ErrorInvalidCall)
}

// waited is how long a call stood still before it ran, where that is too long
// for a call that nobody is asked about.
func (c *call) waited() tables.Maybe[int64] {
	least := int64(leastWait)
	if c.ToolKind == tables.ToolEdit {
		least = leastPatchWait
	}
	if c.ended == nil || c.ended.waited.Value <= least {
		return tables.Maybe[int64]{}
	}
	return c.ended.waited
}

// waitedIn works out from an item how long its call stood still. In new versions
// the item's clock starts when the user is asked. In older ones it starts with
// the command, and the call's own line says when the call was made; that line
// tells nothing where calls of one response wait for each other.
func (t *rollout) waitedIn(r *record, info *call, e *ended) tables.Maybe[int64] {
	completed, started := r.GetInt64("completed_at_ms"), r.GetInt64("started_at_ms")
	if completed <= 0 || !e.duration.OK && info.ToolKind != tables.ToolEdit {
		return tables.Maybe[int64]{}
	}
	wait := int64(0)
	if started > 0 {
		wait = completed - started - e.duration.Value
	}
	if wait <= leastWait && info.ParentToolUseID == "" && info.at != nil && !info.at.at.IsZero() && t.turn.alone(info) {
		wait = completed - info.at.at.UnixMilli() - e.duration.Value
	}
	return tables.Maybe[int64]{Value: wait, OK: wait >= 0 && wait < 1e9}
}

// alone says whether the call is its response's only one, in the turn that runs.
func (t *turn) alone(info *call) bool {
	found := 0
	for _, c := range t.open {
		if c.uuid == info.uuid {
			found++
		}
	}
	return found == 1
}

// rationaleOf is what a reviewing model gave as its reason for a denial. The
// program frames it: the words before and after are its own.
func rationaleOf(text string) string {
	_, rest, ok := strings.Cut(unquote.Replace(text), "rejected due to unacceptable risk.\nReason: ")
	if !ok {
		return ""
	}
	reason, _, _ := strings.Cut(rest, "\nDo not ")
	return strings.TrimSpace(reason)
}

// unquote undoes the quoting of a reason that stands in an error's text, which
// stands in another's.
var unquote = strings.NewReplacer(`\\\\`, `\`, `\\n`, "\n", `\n`, "\n", `\\\"`, `"`, `\\"`, `"`, `\"`, `"`)
