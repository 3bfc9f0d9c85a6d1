package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/internal/roff"
)

// manPage returns a command's manual page in the basic man macros, made from the help.
// Cobra's own generator isn't used: it doesn't name flags' arguments, prints the
// defaults of switches as values, and needs a Markdown parser.
func manPage(w *world, c *cobra.Command, date time.Time) string {
	var p roff.Page
	p.Macro("TH", strings.ToUpper(pageName(c)), "1", date.Format(time.DateOnly), "hindsql "+buildVersion(), "hindsql")
	p.Macro("nh") // never break names of pages and flags
	p.Line(".ad l")
	p.Section("NAME")
	p.Line(pageName(c) + ` \- ` + roff.Escaped(c.Short))
	p.Section("SYNOPSIS")
	p.Line(`\fB` + roff.Escaped(c.UseLine()) + `\fR`)
	p.Section("DESCRIPTION")
	if c.Long != "" {
		p.Prose(c.Long)
	} else {
		p.Prose(c.Short + ".")
	}
	listCommands(&p, c)
	listFlags(&p, "OPTIONS", c.NonInheritedFlags())
	listFlags(&p, "OPTIONS OF ALL COMMANDS", useful(c))
	if c.Example != "" {
		p.Section("EXAMPLES")
		p.Literal(c.Example)
	}
	if !c.HasParent() {
		manEnd(w, &p)
	}
	p.Section("SEE ALSO")
	p.Line(strings.Join(neighbours(c), ", "))
	return p.String()
}

// manEnd writes the sections that only hindsql's own page has.
func manEnd(w *world, p *roff.Page) {
	p.Section("EXIT STATUS")
	for _, e := range []struct {
		code int
		when string
	}{
		{exitOK, "all is well"},
		{exitFailed, "an error in the SQL, or of the system"},
		{exitUsage, "wrong usage"},
		{exitAlert, "the condition of a report, or of hindsql run NAME --alert, holds"},
		{exitHeld, "another program writes to the store"},
		{exitInterrupted, "interrupted with Ctrl-C"},
	} {
		p.Item(fmt.Sprint(e.code), e.when)
	}
	// The places of a user without settings, on any build machine.
	user := &world{who: who{os: w.os, home: "~"}, variables: variables{getenv: func(string) string { return "" }}}
	store, _ := storePath(user, &where{}) // home is set, so no error
	p.Section("ENVIRONMENT")
	p.Item("HINDSQL_STORE", "the file of the store")
	p.Item("HINDSQL_PAGER, PAGER", "what shows results that are longer than the terminal; cat, or nothing, for none")
	p.Item("HINDSQL_TOKEN", "the token of hindsql mcp --http, in place of one that is made")
	p.Item("NO_COLOR", "set to anything, there are no colours")
	p.Item("VISUAL, EDITOR", "the editor of the prompt")
	p.Section("FILES")
	p.Item(store, "the rows that were loaded, a DuckDB file; $HINDSQL_STORE or --store names another, $XDG_DATA_HOME the folder of its folder")
	p.Item(queriesFolder(user), "saved queries of your own, NAME.sql; below $XDG_CONFIG_HOME where that is set")
	p.Item(user.configured("reports"), "reports of your own, NAME.toml")
	p.Item(historyPath(user), "what was typed at the prompt; below $XDG_STATE_HOME where that is set")
}

// pageName returns a command's name after its parents' names: hindsql-run.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// neighbours returns the pages of the parent command and the subcommands.
func neighbours(c *cobra.Command) (pages []string) {
	if c.HasParent() {
		pages = append(pages, c.Parent().CommandPath())
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			pages = append(pages, sub.CommandPath())
		}
	}
	for i, p := range pages {
		pages[i] = `\fB` + roff.Escaped(strings.ReplaceAll(p, " ", "-")) + `\fR(1)`
	}
	return pages
}

// listCommands lists the subcommands, as in the help.
func listCommands(p *roff.Page, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	p.Section("COMMANDS")
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			p.Item(sub.Name(), sub.Short)
		}
	}
}

// listFlags lists flags as in the help: -o, --output FILE.
func listFlags(p *roff.Page, title string, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	p.Section(title)
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		takes, usage := pflag.UnquoteUsage(f)
		name := `\fB` + roff.Escaped("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB` + roff.Escaped("-"+f.Shorthand) + `\fR, ` + name
		}
		switch {
		case f.Value.Type() == "bool":
		case f.NoOptDefVal != "":
			name += `[=\fI` + roff.Escaped(takes) + `\fR]`
		default:
			name += ` \fI` + roff.Escaped(takes) + `\fR`
			if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "0" {
				usage += " (default " + f.DefValue + ")"
			}
		}
		p.Line(".TP")
		p.Line(name)
		p.Line(roff.Escaped(usage))
	})
}
