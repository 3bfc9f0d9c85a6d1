package prompt

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"

	"hindsql/cmd/hindsql/render"

	"hindsql/readers/files"
)

func outputCommands() []command {
	return []command{
		{name: ".mode", args: "[FORMAT]", help: "set the format of results, or tell it", run: (*Prompt).mode, complete: fixed(func(*Prompt) []string { return render.Names() })},
		{name: ".line", help: "show each value on a line of its own; again: as before", aliases: []string{`\x`}, run: (*Prompt).toggleLine},
		{name: ".output", args: "[FILE]", help: "write results to a file from now on; without one: to the terminal again", aliases: []string{`\o`}, run: (*Prompt).setOutput, complete: paths, needs: acts},
		{name: ".once", args: "FILE", help: "write the next result to a file; its name may give the format", run: (*Prompt).setOnce, complete: paths, needs: acts},
		{name: ".timer", args: "[on|off]", help: "say how long each statement took", aliases: []string{`\timing`}, run: (*Prompt).timer, complete: fixed(func(*Prompt) []string { return []string{"on", "off"} })},
		{name: ".width", args: "N", help: "draw tables N columns wide; 0: as wide as the terminal", run: (*Prompt).width},
		{name: ".maxrows", args: "N", help: "show N rows of a table at most; 0: all", run: (*Prompt).maxRows},
		{name: ".nullvalue", args: "[TEXT]", help: "show NULL as this text in tables and lines; without one: as NULL", run: (*Prompt).nullValue},
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

func (p *Prompt) toggleLine(context.Context, string) error {
	if p.Settings.Format == "line" {
		p.Settings.Format, p.formatBefore = p.formatBefore, ""
		return nil
	}
	p.Settings.Format, p.formatBefore = "line", p.Settings.Format
	return nil
}

func (p *Prompt) setOutput(_ context.Context, args string) error {
	list := words(args)
	if len(list) > 1 {
		return p.usage(".output")
	}
	p.closeOutput()
	if len(list) == 0 {
		return nil
	}
	return p.OutputTo(p.long(list[0]))
}

// OutputTo has results written to a file, until .output says otherwise.
func (p *Prompt) OutputTo(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err == nil {
		p.output = f
		err = files.Tighten(path)
	}
	return err
}

func (p *Prompt) setOnce(_ context.Context, args string) error {
	list := words(args)
	if len(list) != 1 {
		return p.usage(".once")
	}
	p.once = p.long(list[0])
	return nil
}

func (p *Prompt) timer(_ context.Context, args string) error {
	switch args {
	case "":
		p.Settings.Timer = !p.Settings.Timer
	case "on", "off":
		p.Settings.Timer = args == "on"
	default:
		return p.usage(".timer")
	}
	return nil
}

func (p *Prompt) width(_ context.Context, args string) error {
	return p.number(".width", args, &p.Settings.Width)
}

func (p *Prompt) maxRows(_ context.Context, args string) error {
	return p.number(".maxrows", args, &p.Settings.MaxRows)
}

func (p *Prompt) number(name, args string, into *int) error {
	n, err := strconv.ParseUint(args, 10, 31)
	if err != nil {
		return p.usage(name)
	}
	*into = int(n)
	return nil
}

func (p *Prompt) nullValue(_ context.Context, args string) error {
	p.Settings.Null = nil
	if list := words(args); len(list) > 0 {
		p.Settings.Null = &list[0]
	}
	return nil
}
