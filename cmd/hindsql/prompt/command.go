package prompt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/suggest"
)

// command is a dot command, or one with a backslash.
type command struct {
	name    string // with the dot
	args    string // as the help shows them
	help    string // one line
	aliases []string
	run     action
	// complete gives the possible values of an argument; done are the arguments
	// before it. Nil: an argument is not completed.
	complete func(c *completer, done []string, typed string) []string
	needs    func(*Config) string // why it can't be run; nil: it always can
	ends     bool                 // it takes what is being written, which is done with then
	whole    bool                 // its argument goes on to the line's end, backslashes and all
}

// action runs a command with its arguments.
type action func(ctx context.Context, p *Prompt, args string) error

// byRunner is for commands that have statements run.
func byRunner(run func(context.Context, *runner, string) error) action {
	return func(ctx context.Context, p *Prompt, args string) error { return run(ctx, p.runner, args) }
}

// bySink is for commands about where results go, or that write there themselves.
func bySink(run func(context.Context, *sink, string) error) action {
	return func(ctx context.Context, p *Prompt, args string) error { return run(ctx, p.sink, args) }
}

// byLook is for settings that remember what they replaced.
func byLook(run func(context.Context, *look, string) error) action {
	return func(ctx context.Context, p *Prompt, args string) error { return run(ctx, p.look, args) }
}

// byConfig is for commands that need nothing that runs.
func byConfig(run func(context.Context, *Config, string) error) action {
	return func(ctx context.Context, p *Prompt, args string) error { return run(ctx, p.Config, args) }
}

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
func commands() commandList {
	var list commandList
	for _, group := range [][]command{
		schemaCommands(), queryCommands(), sendCommands(), logCommands(), outputCommands(), settingCommands(),
		exportCommands(), chartCommands(), storeCommands(), systemCommands(), sessionCommands(),
	} {
		list = append(list, group...)
	}
	return list
}

// commandList are commands, in the order of the help.
type commandList []command

// available are the commands that can be run.
func available(c *Config) commandList {
	return slices.DeleteFunc(commands(), func(d command) bool { return d.needs != nil && d.needs(c) != "" })
}

// find is the command with a name or an alias; nil: there is none.
func (l commandList) find(name string) *command {
	i := slices.IndexFunc(l, func(c command) bool { return c.name == name || slices.Contains(c.aliases, name) })
	if i < 0 {
		return nil
	}
	return &l[i]
}

// names are all names and aliases.
func (l commandList) names() []string {
	var names []string
	for _, c := range l {
		names = append(append(names, c.name), c.aliases...)
	}
	return names
}

// words are all names and aliases; a space follows where arguments do.
func (l commandList) words() []string {
	var list []string
	for _, c := range l {
		for _, name := range append([]string{c.name}, c.aliases...) {
			if c.args != "" {
				name += " "
			}
			list = append(list, name)
		}
	}
	return list
}

// unknown proposes the commands that are spelt most alike.
func (l commandList) unknown(name string) error {
	return fmt.Errorf("no command %s%s", name, suggest.Ask(name, l.names(), ".help lists them"))
}

// command runs a command.
func (p *Prompt) command(ctx context.Context, line string) error {
	name, args := cutCommand(line)
	if bare.MatchString(name) {
		name = "." + name
	}
	c := p.commands.find(name)
	if c != nil {
		return c.run(ctx, p, args)
	}
	if c := commands().find(name); c != nil {
		return fmt.Errorf("%s: %s", name, c.needs(p.Config))
	}
	return p.commands.unknown(name)
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

// usage is the error of wrong arguments for a command.
func usage(name string) error {
	c := commands().find(name)
	return fmt.Errorf("usage: %s; %s", c.usage(), c.help)
}

// fixed completes one argument from a list.
func fixed(list func(*completer) []string) func(*completer, []string, string) []string {
	return func(c *completer, done []string, _ string) []string {
		if len(done) > 0 {
			return nil
		}
		return list(c)
	}
}

// Names lists the names and aliases of the commands that c makes available.
func Names(c Config) []string { return available(&c).names() }
