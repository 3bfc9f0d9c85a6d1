package prompt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/lists"
	"hindsql/internal/suggest"
)

// command is a command of the prompt, such as .tables. Its name begins with a dot, as
// in sqlite3, or a backslash, as in psql.
type command struct {
	name    string // with the dot
	args    string // as the help shows them
	help    string // one line
	aliases []string
	run     action
	// complete returns the possible values of an argument; nil if the command completes
	// no arguments. done holds the arguments before this one, and typed its typed part.
	complete      func(c *completer, done []string, typed string) []string
	needs         func(*Config) string // why the command can't be run; nil if it always can
	endsStatement bool                 // the command uses up the statement being written
	takesRest     bool                 // the argument is the whole rest of the line, backslashes included
}

// action runs a command with its arguments.
type action func(ctx context.Context, p *Prompt, args string) error

// byRunner makes an action of a function that runs statements.
func byRunner(run func(context.Context, *runner, string) error) action {
	return func(ctx context.Context, p *Prompt, args string) error { return run(ctx, p.runner, args) }
}

// bySink makes an action of a function that directs or writes results.
func bySink(run func(context.Context, *sink, string) error) action {
	return func(ctx context.Context, p *Prompt, args string) error { return run(ctx, p.sink, args) }
}

// byResultSettings makes an action of a function that changes how results look, and
// remembers the former setting.
func byResultSettings(run func(context.Context, *resultSettings, string) error) action {
	return func(ctx context.Context, p *Prompt, args string) error { return run(ctx, p.resultSettings, args) }
}

// byConfig makes an action of a function that only needs the configuration.
func byConfig(run func(context.Context, *Config, string) error) action {
	return func(ctx context.Context, p *Prompt, args string) error { return run(ctx, p.Config, args) }
}

// acts returns why a command can't write, read or run anything outside of the session,
// as with --safe; empty if the command can.
func acts(c *Config) string {
	if c.Safe {
		return "not with --safe"
	}
	return ""
}

// asks is like [acts], for commands that also ask the user a question.
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
		exportCommands(), chartCommands(), systemCommands(), sessionCommands(),
	} {
		list = append(list, group...)
	}
	return list
}

// commandList holds commands, in the order of the help.
type commandList []command

// available returns the commands that can be run with c.
func available(c *Config) commandList {
	return slices.DeleteFunc(commands(), func(d command) bool { return d.needs != nil && d.needs(c) != "" })
}

// find returns the command with a name or an alias, or nil.
func (l commandList) find(name string) *command {
	i := slices.IndexFunc(l, func(c command) bool { return c.name == name || slices.Contains(c.aliases, name) })
	if i < 0 {
		return nil
	}
	return &l[i]
}

// names returns all names and aliases.
func (l commandList) names() []string {
	var names []string
	for _, c := range l {
		names = append(append(names, c.name), c.aliases...)
	}
	return names
}

// words returns all names and aliases, for completion. Names of commands with arguments
// end in a space.
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

// foreignNames maps names of sqlite3 and psql that the prompt doesn't have to what does the
// same here.
var foreignNames = map[string]string{
	`\dt`: ".tables", `\dv`: ".tables", `\df`: ".tables", ".functions": ".tables", `\d+`: `\d`, `\df+`: `\d`, `\sf`: `\d`, `\sv`: `\d`, ".schema": ".describe",
	`\gdesc`: "DESCRIBE before the statement", ".columns": "DESCRIBE before the statement", ".last": ".maxrows 0 and .go", ".reset": "Ctrl-C", `\r`: "Ctrl-C",
	".buffer": ".edit", `\p`: ".edit", ".write": ".save", `\w`: ".save", ".databases": "SHOW DATABASES;", `\l`: "SHOW DATABASES;", ".store": ".show", `\conninfo`: ".show",
	".set": ".mode, .line, .nullvalue, .pager, .width or .headers", `\pset`: ".mode, .line, .nullvalue, .pager, .width or .headers", ".header": ".headers",
	".say": ".print", ".warn": ".print", `\echo`: ".print", `\qecho`: ".print", `\warn`: ".print", ".system": ".shell", `\cd`: ".cd", `\?`: ".help",
	".highlight": "NO_COLOR=1 before hindsql", ".echo": ".print",
}

// unknown returns an error that says what to type instead, or proposes the commands with
// the most similar names.
func (l commandList) unknown(name string) error {
	if other := foreignNames[name]; other != "" {
		return fmt.Errorf("no command %s; type %s", name, other)
	}
	return fmt.Errorf("no command %s%s", name, suggest.Ask(name, l.names(), ".help lists them"))
}

// command runs the command in a line.
func (p *Prompt) command(ctx context.Context, line string) error {
	name, args := cutCommand(line)
	if bare.MatchString(name) {
		name = "." + name
	}
	c := p.commands.find(name)
	if c != nil {
		return c.run(ctx, p, args)
	}
	if p.runner.isNamed(name) {
		return p.runner.runNamed(ctx, name, args)
	}
	if c := commands().find(name); c != nil {
		return fmt.Errorf("%s: %s", name, c.needs(p.Config))
	}
	return p.commands.unknown(name)
}

// cutCommand splits a command into name and arguments. It drops a semicolon at the end,
// a common habit. After \! no space is needed.
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

// wordsOf splits arguments at spaces outside quotes.
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

// usage returns the error for a command's wrong arguments.
func usage(name string) error {
	c := commands().find(name)
	return fmt.Errorf("usage: %s; %s", c.usage(), c.help)
}

// completeFrom returns a function that completes the first argument from a list, and no
// others.
func completeFrom(list func(*completer) []string) func(*completer, []string, string) []string {
	return func(c *completer, done []string, _ string) []string {
		if len(done) > 0 {
			return nil
		}
		return list(c)
	}
}

// Names lists the names and aliases of the commands that c makes available.
func Names(c Config) []string { return available(&c).names() }

func sessionCommands() []command {
	return []command{
		{name: ".help", args: "[COMMAND]", help: "list the commands, or explain one", run: help, complete: completeFrom(commandNames)},
		{name: ".quit", help: "leave; so does Ctrl-D", aliases: []string{".exit", `\q`}, run: quit},
	}
}

func quit(_ context.Context, p *Prompt, _ string) error {
	p.reader.leaving = true
	return nil
}

func help(_ context.Context, p *Prompt, args string) error {
	list := p.commands
	if args != "" {
		if !strings.HasPrefix(args, `\`) {
			args = "." + strings.TrimPrefix(args, ".")
		}
		c := p.commands.find(args)
		if c == nil {
			return p.commands.unknown(args)
		}
		list = []command{*c}
	}
	rows := lists.Map(list, func(c command) []string { return []string{c.usage(), strings.Join(c.aliases, " "), c.help} })
	return p.sink.deliver(func(to *term.Output) error { return term.Listing(to, to.Width, rows) })
}

func (c *command) usage() string { return strings.TrimSpace(c.name + " " + c.args) }

func commandNames(c *completer) []string {
	return lists.Map(c.commands, func(d command) string { return d.name })
}
