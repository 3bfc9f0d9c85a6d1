package prompt

import (
	"context"
	"strings"

	"hindsql/cmd/hindsql/term"
)

func sessionCommands() []command {
	return []command{
		{name: ".help", args: "[COMMAND]", help: "list the commands, or explain one", run: help, complete: fixed(commandNames)},
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
	var rows [][]string
	for _, c := range list {
		rows = append(rows, []string{c.usage(), strings.Join(c.aliases, " "), c.help})
	}
	return p.sink.deliver(func(to *term.Output) error { return term.Listing(to, to.Width, rows) })
}

func (c *command) usage() string { return strings.TrimSpace(c.name + " " + c.args) }

func commandNames(c *completer) []string {
	var names []string
	for _, d := range c.commands {
		names = append(names, d.name)
	}
	return names
}
