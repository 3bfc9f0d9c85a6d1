package prompt

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"hindsql/cmd/hindsql/render"
)

func outputCommands() []command {
	return []command{
		{name: ".mode", args: "[FORMAT]", help: "set the format of results, or tell it", run: (*Prompt).mode, complete: fixed(func(*completer) []string { return render.Names() })},
		{name: ".line", args: "[on|off|auto]", help: "show each value on a line of its own; auto, as at first: where a table would hide most; alone: on or back", aliases: []string{`\x`}, run: (*Prompt).line, complete: fixed(func(c *completer) []string { return append(onOff(c), "auto") })},
		{name: ".output", args: "[FILE]", help: "write results to a file from now on; without one: to the terminal again", aliases: []string{`\o`}, run: (*Prompt).setOutput, complete: paths, needs: acts},
		{name: ".once", args: "FILE | |COMMAND", help: "write the next result to a file, whose name may give the format, or to a program", run: (*Prompt).setOnce, complete: paths, needs: acts},
	}
}

func (p *Prompt) mode(_ context.Context, args string) error {
	if args == "" {
		_, err := fmt.Fprintln(p.Out, cmp.Or(p.Settings.Format, "table, unless a saved query or a file's name asks for another"))
		return err
	}
	format, err := render.ByName(args)
	if err != nil {
		return err
	}
	p.Settings.Format = format.Name
	if format.Name == "table" {
		p.Settings.Format = "" // so that .once x.csv still writes CSV
	}
	return nil
}

// line switches the format to lines and back. At first, and after auto, rows are
// written in lines by themselves where a table would hide most of them.
func (p *Prompt) line(_ context.Context, args string) error {
	is := p.Settings.Format == "line"
	want := !is
	if args == "auto" {
		want, p.Settings.Auto = false, true
	} else if args != "" {
		if err := toggle(".line", func(*Prompt) *bool { return &want })(p, nil, args); err != nil {
			return err
		}
		p.Settings.Auto = false
	}
	switch {
	case want && !is:
		p.Settings.Format, p.before = "line", p.Settings.Format
	case !want && is:
		p.Settings.Format, p.before = p.before, ""
	}
	return nil
}

func (p *Prompt) setOutput(_ context.Context, args string) error {
	list := wordsOf(args)
	if len(list) > 1 {
		return usage(".output")
	}
	p.sink.close()
	if len(list) == 0 {
		return nil
	}
	return p.sink.open(p.long(list[0]))
}

func (p *Prompt) setOnce(_ context.Context, args string) error {
	if strings.HasPrefix(args, "|") && strings.TrimSpace(args[1:]) != "" {
		p.sink.once = args
		return nil
	}
	list := wordsOf(args)
	if len(list) != 1 {
		return usage(".once")
	}
	p.sink.once = p.long(list[0])
	return nil
}
