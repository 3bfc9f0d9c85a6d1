package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manPage is a command's manual page, in the macros that every man knows. It is
// made of what help says. Cobra's own generator is not used: it says nothing of
// what a flag takes, prints the defaults of switches as values, and brings a
// Markdown parser along.
func manPage(w *world, c *cobra.Command, date time.Time) string {
	var p page
	p.macro("TH", strings.ToUpper(pageName(c)), "1", date.Format(time.DateOnly), "hindsql "+buildVersion(), "hindsql")
	p.macro("nh") // names of pages and flags are not to be parted at line ends
	p.line(".ad l")
	p.section("NAME")
	p.line(pageName(c) + ` \- ` + roff(c.Short))
	p.section("SYNOPSIS")
	p.line(`\fB` + roff(c.UseLine()) + `\fR`)
	p.section("DESCRIPTION")
	if c.Long != "" {
		p.prose(c.Long)
	} else {
		p.prose(c.Short + ".")
	}
	p.commands(c)
	p.flags("OPTIONS", c.NonInheritedFlags())
	p.flags("OPTIONS OF ALL COMMANDS", useful(c))
	if c.Example != "" {
		p.section("EXAMPLES")
		p.literal(c.Example)
	}
	if !c.HasParent() {
		manEnd(w, &p)
	}
	p.section("SEE ALSO")
	p.line(strings.Join(neighbours(c), ", "))
	return p.String()
}

// manEnd is what only the page of hindsql itself has.
func manEnd(w *world, p *page) {
	p.section("EXIT STATUS")
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
		p.item(fmt.Sprint(e.code), e.when)
	}
	// The places of a user who has set nothing, whoever makes the page.
	user := &world{who: who{os: w.os, home: "~"}, variables: variables{getenv: func(string) string { return "" }}}
	store, _ := storePath(user, &where{}) // of a home, which there is
	p.section("ENVIRONMENT")
	p.item("HINDSQL_STORE", "the file of the store")
	p.item("HINDSQL_PAGER, PAGER", "what shows results that are longer than the terminal; cat, or nothing, for none")
	p.item("HINDSQL_TOKEN", "the token of hindsql mcp --http, in place of one that is made")
	p.item("NO_COLOR", "set to anything, there are no colours")
	p.item("VISUAL, EDITOR", "the editor of the prompt")
	p.section("FILES")
	p.item(store, "the rows that were loaded, a DuckDB file; $HINDSQL_STORE or --store names another, $XDG_DATA_HOME the folder of its folder")
	p.item(queriesFolder(user), "saved queries of your own, NAME.sql; below $XDG_CONFIG_HOME where that is set")
	p.item(user.configured("reports"), "reports of your own, NAME.toml")
	p.item(historyPath(user), "what was typed at the prompt; below $XDG_STATE_HOME where that is set")
}

// pageName is a command's name with those of the commands above it: hindsql-run.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// neighbours are the pages of the command above and of those below.
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
		pages[i] = `\fB` + roff(strings.ReplaceAll(p, " ", "-")) + `\fR(1)`
	}
	return pages
}

// page is the text of a manual page.
type page struct{ strings.Builder }

func (p *page) line(text string) { p.WriteString(text + "\n") }

func (p *page) macro(name string, args ...string) {
	for i, arg := range args {
		args[i] = ` "` + strings.ReplaceAll(roff(arg), `"`, `\(dq`) + `"`
	}
	p.line("." + name + strings.Join(args, ""))
}

func (p *page) section(title string) { p.macro("SH", title) }

// item is a thing and what it is.
func (p *page) item(name, text string) {
	p.line(".TP")
	p.line(`\fB` + roff(name) + `\fR`)
	p.line(roff(text))
}

// indented is a paragraph whose lines are to stay lines.
var indented = regexp.MustCompile(`(?m)^(  |\t)`)

// prose is text in paragraphs; what is indented in it stays as it is.
func (p *page) prose(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			p.macro("PP")
		}
		if indented.MatchString(paragraph) {
			p.literal(paragraph)
		} else {
			p.line(roff(paragraph))
		}
	}
}

func (p *page) literal(text string) {
	p.macro("nf")
	p.line(roff(text))
	p.macro("fi")
}

// commands lists the commands below one, as its help does.
func (p *page) commands(c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	p.section("COMMANDS")
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			p.item(sub.Name(), sub.Short)
		}
	}
}

// flags lists flags as help does: -o, --output FILE.
func (p *page) flags(title string, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	p.section(title)
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		takes, usage := pflag.UnquoteUsage(f)
		name := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + name
		}
		switch {
		case f.Value.Type() == "bool":
		case f.NoOptDefVal != "":
			name += `[=\fI` + roff(takes) + `\fR]`
		default:
			name += ` \fI` + roff(takes) + `\fR`
			if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "0" {
				usage += " (default " + f.DefValue + ")"
			}
		}
		p.line(".TP")
		p.line(name)
		p.line(roff(usage))
	})
}

// roff is text that has no meaning to roff: lines that begin with its marks, its
// escapes, and hyphens, which are to be those that one types.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
