package agents

import (
	"fmt"
	"strings"

	"hindsql/cmd/hindsql/agents/register"
	"hindsql/readers"
)

// Said is the user's message about a plan.
type Said struct {
	Notice string // what is wrong; empty if nothing
	Text   string // whole lines
}

// Proposal describes what a plan would do.
func (h *Here) Proposal(plan *register.Plan) Said {
	title, file := plan.Place.Title(), h.Short(plan.Place.Path)
	switch {
	case plan.Why != nil:
		where := ", in the file"
		if plan.Shell {
			where = ""
		}
		return Said{h.Failure(plan, plan.Why), fmt.Sprintf("%s: left as it is; to do it yourself%s:\n%s", title, where, Inset(plan.Paste))}
	case plan.Commands != nil:
		text := title + ": by its own command"
		if plan.Place.Line != nil && !plan.Removes() {
			text += ", instead of " + register.Shell(plan.Place.Line)
		}
		text += "\n"
		for _, line := range plan.Commands {
			text += Inset(register.Shell(line))
		}
		return Said{Text: text}
	case plan.Diff != "":
		path := plan.Place.Path
		diff := strings.NewReplacer("--- "+path+"\n", "--- "+file+"\n", "+++ "+path+"\n", "+++ "+file+"\n").Replace(plan.Diff)
		return Said{Text: fmt.Sprintf("%s: in %s\n%s", title, file, Inset(diff))}
	}
	return Said{Text: fmt.Sprintf("%s: registered already, in %s\n", title, file)}
}

// Failure says why a plan can't be, or wasn't, carried out.
func (h *Here) Failure(plan *register.Plan, why error) string {
	return plan.Place.Title() + ": " + h.ShortIn(why.Error())
}

// Success says that a plan was carried out, and adds the agent's note.
func (h *Here) Success(plan *register.Plan) string {
	how := "registered"
	if plan.Removes() {
		how = "no longer registered"
	}
	text := fmt.Sprintf("%s: %s in %s", plan.Place.Title(), how, h.Short(plan.Place.Path))
	if note := noteOn(plan); note != "" && !plan.Removes() {
		text += "; " + note
	}
	return text
}

// noteOn returns the agents' notes about a new registration; empty if none.
func noteOn(plan *register.Plan) string {
	if !plan.Place.Project {
		return plan.Place.Agent.Servers.Note
	}
	var notes []string
	for _, r := range append([]*readers.Reader{plan.Place.Agent}, plan.Place.Also...) {
		if note := r.Servers.ProjectNote; note != "" && len(plan.Place.Also) > 0 {
			notes = append(notes, r.Title+": "+note)
		} else if note != "" {
			notes = append(notes, note)
		}
	}
	return strings.Join(notes, "; ")
}

// Inset indents each line by two blanks.
func Inset(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}
