package main

import (
	"context"
	"fmt"
	"strings"

	"hindsql/readers"
	"hindsql/register"
)

// tellUntold names the agents that can't be told of servers there.
func (a *app) tellUntold(chosen []*readers.Reader, f mcpInstallFlags) {
	for _, r := range chosen {
		switch {
		case r.Servers.None != "":
			fmt.Fprintf(a.stdout, "%s: %s\n", r.Title, r.Servers.None)
		case r.Servers.User == nil:
			fmt.Fprintf(a.stdout, "%s: how it is told of MCP servers isn't known\n", r.Title)
		case f.scope == scopeProject && r.Servers.Project == nil:
			fmt.Fprintf(a.stdout, "%s: a repository has no settings of it that list MCP servers\n", r.Title)
		}
	}
}

// carryOut shows the plans, asks, and does them. What one of them can't do stops
// no other.
func (a *app) carryOut(ctx context.Context, plans []register.Plan, yes bool, how string) error {
	var changes []register.Plan
	stuck := false
	for _, plan := range plans {
		a.showPlan(&plan)
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
	if yes, err := a.agree(yes); err != nil || !yes {
		return err
	}
	fmt.Fprintln(a.stdout)
	done := 0
	for _, plan := range changes {
		title := plan.Place.Title()
		if err := plan.Do(ctx, a.host(), a.tellCommand); err != nil {
			a.notice("%s: %s", title, a.shortIn(err.Error()))
			stuck = true
			continue
		}
		done++
		fmt.Fprintf(a.stdout, "%s: %s in %s", title, how, a.short(plan.Place.Path))
		if note := noteOn(&plan); note != "" && !plan.Removes() {
			fmt.Fprintf(a.stdout, "; %s", note)
		}
		fmt.Fprintln(a.stdout)
	}
	if !changes[0].Removes() && done > 0 {
		fmt.Fprintln(a.stdout, "sessions that begin from now on know of it")
	}
	if stuck {
		return errNotAll
	}
	return nil
}

// showPlan shows what would be done.
func (a *app) showPlan(plan *register.Plan) {
	title, file := plan.Place.Title(), a.short(plan.Place.Path)
	switch {
	case plan.Why != nil:
		a.notice("%s: %s", title, a.shortIn(plan.Why.Error()))
		fmt.Fprintf(a.stdout, "%s: left as it is; to do it yourself%s:\n%s", title, into(plan), inset(plan.Paste))
	case plan.Commands != nil:
		fmt.Fprintf(a.stdout, "%s: by its own command", title)
		if plan.Place.Line != nil && !plan.Removes() {
			fmt.Fprintf(a.stdout, ", instead of %s", register.Shell(plan.Place.Line))
		}
		fmt.Fprintln(a.stdout)
		for _, line := range plan.Commands {
			fmt.Fprint(a.stdout, inset(register.Shell(line)))
		}
	case plan.Diff != "":
		path := plan.Place.Path
		diff := strings.NewReplacer("--- "+path+"\n", "--- "+file+"\n", "+++ "+path+"\n", "+++ "+file+"\n").Replace(plan.Diff)
		fmt.Fprintf(a.stdout, "%s: in %s\n%s", title, file, inset(diff))
	default:
		fmt.Fprintf(a.stdout, "%s: registered already, in %s\n", title, file)
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

// tellCommand shows what an agent's command said.
func (a *app) tellCommand(_ []string, text string) { fmt.Fprint(a.stdout, inset(text)) }

// inset is text with two blanks before each line.
func inset(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}

// shortIn shortens the home folder wherever a text has it.
func (a *app) shortIn(text string) string {
	if a.home == "" {
		return text
	}
	return strings.ReplaceAll(text, a.home+"/", "~/")
}

// printServer writes what a person types, or puts where.
func (a *app) printServer(places []register.Place, server register.Server) error {
	for i, p := range places {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		text, shell := register.Paste(p, &server, server.Name)
		if shell {
			fmt.Fprintf(a.stdout, "# %s\n%s\n", p.Agent.Title, text)
			continue
		}
		fmt.Fprintf(a.stdout, "# %s: in %s\n%s\n", p.Title(), a.short(p.Path), text)
	}
	return nil
}
