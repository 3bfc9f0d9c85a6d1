package prompt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/near"
)

// command is a dot command, or one with a backslash.
type command struct {
	name    string // with the dot
	args    string // as the help shows them
	help    string // one line
	aliases []string
	run     func(p *Prompt, ctx context.Context, args string) error
	// complete gives the possible values of an argument; done are the arguments
	// before it. Nil: an argument is not completed.
	complete func(p *Prompt, done []string, typed string) []string
	needs    func(*Config) string // why it can't be run; nil: it always can
	ends     bool                 // it takes what is being written, which is done with then
	whole    bool                 // its argument goes on to the line's end, backslashes and all
}

func (c *command) is(name string) bool { return c.name == name || slices.Contains(c.aliases, name) }

// acts is for commands that write, read or run something outside.
func acts(c *Config) string {
	if c.Safe {
		return "not with --safe"
	}
	return ""
}

// asks is for commands that act, and ask a person.
func asks(c *Config) string {
	if c.Editor == nil {
		return "only at the prompt"
	}
	return acts(c)
}

// commands declares every command, in the order of the help.
func commands() []command {
	var list []command
	for _, group := range [][]command{
		schemaCommands(), queryCommands(), sendCommands(), logCommands(), outputCommands(), settingCommands(),
		exportCommands(), chartCommands(), storeCommands(), systemCommands(), sessionCommands(),
	} {
		list = append(list, group...)
	}
	return list
}

// available are the commands that can be run.
func available(c *Config) []command {
	return slices.DeleteFunc(commands(), func(d command) bool { return d.needs != nil && d.needs(c) != "" })
}

func named(list []command, name string) *command {
	i := slices.IndexFunc(list, func(c command) bool { return c.is(name) })
	if i < 0 {
		return nil
	}
	return &list[i]
}

func (p *Prompt) find(name string) *command { return named(p.commands, name) }

// command runs a command.
func (p *Prompt) command(ctx context.Context, line string) error {
	name, args := cutCommand(line)
	if bare.MatchString(name) {
		name = "." + name
	}
	c := p.find(name)
	if c != nil {
		return c.run(p, ctx, args)
	}
	if c := named(commands(), name); c != nil {
		return fmt.Errorf("%s: %s", name, c.needs(p.Config))
	}
	return p.unknown(name)
}

// cutCommand separates a command from its arguments. It drops a semicolon at the
// end, which people type out of habit. \! needs no space behind it.
func cutCommand(line string) (name, args string) {
	line = strings.TrimSpace(strings.TrimRight(line, "; \t\n"))
	if rest, ok := strings.CutPrefix(line, `\!`); ok {
		return `\!`, strings.TrimSpace(rest)
	}
	if i := strings.IndexAny(line, " \t\n"); i >= 0 {
		return line[:i], strings.TrimSpace(line[i:])
	}
	return line, ""
}

// unknown proposes the commands that are spelt most alike.
func (p *Prompt) unknown(name string) error {
	var known []string
	for _, c := range p.commands {
		known = append(append(known, c.name), c.aliases...)
	}
	return fmt.Errorf("no command %s%s", name, near.Ask(name, known, ".help lists them"))
}

// wordsOf splits arguments at spaces that stand outside quotes.
func wordsOf(args string) []string {
	var list []string
	var word strings.Builder
	var quote rune
	open := false
	for _, r := range args {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, open = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if open {
				list = append(list, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if open {
		list = append(list, word.String())
	}
	return list
}

// usage is the error of wrong arguments.
func (p *Prompt) usage(name string) error {
	c := p.find(name)
	return fmt.Errorf("usage: %s; %s", strings.TrimSpace(c.name+" "+c.args), c.help)
}

// fixed completes one argument from a list.
func fixed(list func(p *Prompt) []string) func(*Prompt, []string, string) []string {
	return func(p *Prompt, done []string, _ string) []string {
		if len(done) > 0 {
			return nil
		}
		return list(p)
	}
}

// Names lists the names and aliases of the commands that c makes available.
func Names(c Config) []string {
	var names []string
	for _, d := range available(&c) {
		names = append(append(names, d.name), d.aliases...)
	}
	return names
}
