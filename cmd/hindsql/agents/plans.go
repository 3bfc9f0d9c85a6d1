package agents

import (
	"fmt"
	"strings"

	"hindsql/cmd/hindsql/agents/register"
	"hindsql/readers"
)

// Proposal describes what a plan would do, in whole lines.
func (h *Here) Proposal(plan *register.Plan) string {
	text := plan.Place.Title()
	switch {
	case plan.Done:
		return fmt.Sprintf("%s: registered already, in %s\n", text, h.Short(plan.Place.Path))
	case !plan.Calls():
		return h.ByHand(plan)
	}
	text += ": by its own command"
	if plan.Place.Line != nil && plan.Server != nil {
		text += ", instead of " + register.Shell(plan.Place.Line)
	}
	typed, _ := plan.ByHand()
	return text + "\n" + Inset(typed)
}

// ByHand tells the user how to do a plan's work.
func (h *Here) ByHand(plan *register.Plan) string {
	file := h.Short(plan.Place.Path)
	typed, entry := plan.ByHand()
	text := plan.Place.Title() + ": "
	if typed != "" {
		text += "type\n" + Inset(typed) + "or "
	}
	switch {
	case plan.Server == nil:
		return text + "take " + plan.Key() + " out of " + file + "\n"
	case plan.Place.Present:
		text += "put this into " + file + ", in place of its " + plan.Key()
	default:
		text += "put this into " + file
	}
	if note := noteOn(plan); note != "" {
		text += "; " + note
	}
	return text + "\n" + Inset(entry)
}

// Failure says why a plan can't be, or wasn't, carried out by the agent's commands.
func (h *Here) Failure(plan *register.Plan, why error) string {
	return plan.Place.Title() + ": " + h.ShortIn(why.Error())
}

// Success says that a plan was carried out, and adds the agent's note.
func (h *Here) Success(plan *register.Plan) string {
	how := "registered"
	if plan.Server == nil {
		how = "no longer registered"
	}
	text := fmt.Sprintf("%s: %s in %s", plan.Place.Title(), how, h.Short(plan.Place.Path))
	if note := noteOn(plan); note != "" && plan.Server != nil {
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
