package main

import (
	"context"
	"fmt"
	"strings"

	"hindsql/readers"
	"hindsql/register"
)

// tellUntold names the agents that can't be told of servers there.
func tellUntold(w *world, chosen []*readers.Reader, scope string) {
	for _, r := range chosen {
		switch {
		case r.Servers.None != "":
			fmt.Fprintf(w.stdout, "%s: %s\n", r.Title, r.Servers.None)
		case r.Servers.User == nil:
			fmt.Fprintf(w.stdout, "%s: how it is told of MCP servers isn't known\n", r.Title)
		case scope == scopeProject && r.Servers.Project == nil:
			fmt.Fprintf(w.stdout, "%s: a repository has no settings of it that list MCP servers\n", r.Title)
		}
	}
}

// carryOut shows the plans, asks, and does them. What one of them can't do stops
// no other.
func carryOut(ctx context.Context, w *world, plans []register.Plan, yes bool, how string) error {
	var changes []register.Plan
	stuck := false
	for _, plan := range plans {
		showPlan(w, &plan)
		stuck = stuck || plan.Why != nil
		if plan.Changes() {
			changes = append(changes, plan)
		}
	}
	if changes == nil {
		if stuck {
			return errNotAll
		}
		return nil
	}
	if yes, err := agree(w, yes); err != nil || !yes {
		return err
	}
	fmt.Fprintln(w.stdout)
	done := 0
	for _, plan := range changes {
		title := plan.Place.Title()
		if err := plan.Do(ctx, w.host(), func(_ []string, text string) { fmt.Fprint(w.stdout, inset(text)) }); err != nil {
			w.notice("%s: %s", title, shortIn(w, err.Error()))
			stuck = true
			continue
		}
		done++
		fmt.Fprintf(w.stdout, "%s: %s in %s", title, how, w.short(plan.Place.Path))
		if note := noteOn(&plan); note != "" && !plan.Removes() {
			fmt.Fprintf(w.stdout, "; %s", note)
		}
		fmt.Fprintln(w.stdout)
	}
	if !changes[0].Removes() && done > 0 {
		fmt.Fprintln(w.stdout, "sessions that begin from now on know of it")
	}
	if stuck {
		return errNotAll
	}
	return nil
}

// showPlan shows what would be done.
func showPlan(w *world, plan *register.Plan) {
	title, file := plan.Place.Title(), w.short(plan.Place.Path)
	switch {
	case plan.Why != nil:
		w.notice("%s: %s", title, shortIn(w, plan.Why.Error()))
		fmt.Fprintf(w.stdout, "%s: left as it is; to do it yourself%s:\n%s", title, into(plan), inset(plan.Paste))
	case plan.Commands != nil:
		fmt.Fprintf(w.stdout, "%s: by its own command", title)
		if plan.Place.Line != nil && !plan.Removes() {
			fmt.Fprintf(w.stdout, ", instead of %s", register.Shell(plan.Place.Line))
		}
		fmt.Fprintln(w.stdout)
		for _, line := range plan.Commands {
			fmt.Fprint(w.stdout, inset(register.Shell(line)))
		}
	case plan.Diff != "":
		path := plan.Place.Path
		diff := strings.NewReplacer("--- "+path+"\n", "--- "+file+"\n", "+++ "+path+"\n", "+++ "+file+"\n").Replace(plan.Diff)
		fmt.Fprintf(w.stdout, "%s: in %s\n%s", title, file, inset(diff))
	default:
		fmt.Fprintf(w.stdout, "%s: registered already, in %s\n", title, file)
	}
}

// noteOn is what to know beside that the server is registered.
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

// into says where a person puts what is to be pasted.
func into(plan *register.Plan) string {
	if plan.Shell {
		return ""
	}
	return ", in the file"
}

// inset is text with two blanks before each line.
func inset(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}

// shortIn shortens the home folder wherever a text has it.
func shortIn(w *world, text string) string {
	if w.home == "" {
		return text
	}
	return strings.ReplaceAll(text, w.home+"/", "~/")
}

// printServer writes what a person types, or puts where.
func printServer(w *world, places []register.Place, server register.Server) error {
	for i, p := range places {
		if i > 0 {
			fmt.Fprintln(w.stdout)
		}
		text, shell := register.Paste(p, &server, server.Name)
		if shell {
			fmt.Fprintf(w.stdout, "# %s\n%s\n", p.Agent.Title, text)
			continue
		}
		fmt.Fprintf(w.stdout, "# %s: in %s\n%s\n", p.Title(), w.short(p.Path), text)
	}
	return nil
}
