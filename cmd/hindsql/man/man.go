// Package man turns a command's help into its manual page.
//
// In: a command of the command line. Out: a page in the basic man macros. Cobra's own
// generator isn't used: it doesn't name flags' arguments, prints the defaults of
// switches as values, and needs a Markdown parser.
package man

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/internal/roff"
)

// Page is what a page has beyond a command's help.
type Page struct {
	Date    time.Time
	Version string
	End     func(p *roff.Page) // writes further sections; nil for none
}

// Of returns the manual page of a command.
func (page Page) Of(c *cobra.Command) string {
	var p roff.Page
	p.Macro("TH", strings.ToUpper(Name(c)), "1", page.Date.Format(time.DateOnly), "hindsql "+page.Version, "hindsql")
	p.Macro("nh") // never break names of pages and flags
	p.Line(".ad l")
	p.Section("NAME")
	p.Line(Name(c) + ` \- ` + roff.Escaped(c.Short))
	p.Section("SYNOPSIS")
	p.Line(`\fB` + roff.Escaped(c.UseLine()) + `\fR`)
	p.Section("DESCRIPTION")
	if c.Long != "" {
		p.Prose(c.Long)
	} else {
		p.Prose(c.Short + ".")
	}
	listCommands(&p, c)
	listFlags(&p, c.Flags())
	if c.Example != "" {
		p.Section("EXAMPLES")
		p.Literal(c.Example)
	}
	if page.End != nil {
		page.End(&p)
	}
	p.Section("SEE ALSO")
	p.Line(strings.Join(neighbours(c), ", "))
	return p.String()
}

// Documented returns a command and all subcommands listed in its help.
func Documented(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			list = append(list, Documented(sub)...)
		}
	}
	return list
}

// Name returns a command's name after its parents' names: hindsql-run.
func Name(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

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
func listFlags(p *roff.Page, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	p.Section("OPTIONS")
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
