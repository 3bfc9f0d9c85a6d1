package prompt

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
)

// settingCommands are those that say how results look, and show it.
func settingCommands() []command {
	return []command{
		{name: ".timer", args: "[on|off]", help: "say how long each statement took", aliases: []string{`\timing`}, run: toggle(".timer", func(p *Prompt) *bool { return &p.Settings.Timer }), complete: fixed(onOff)},
		{name: ".headers", args: "[on|off]", help: "begin CSV and TSV with the names of the columns", aliases: []string{".header"}, run: toggle(".headers", func(p *Prompt) *bool { return &p.Settings.Headers }), complete: fixed(onOff)},
		{name: ".width", args: "N", help: "draw tables N columns wide; 0: as wide as the terminal", run: (*Prompt).width},
		{name: ".maxrows", args: "N", help: "show N rows of a table at most; 0: all", run: (*Prompt).maxRows},
		{name: ".nullvalue", args: "[TEXT]", help: "show NULL as this text in tables and lines; without one: as NULL", run: (*Prompt).nullValue},
		{name: ".highlight", args: "[on|off]", help: "colour results and what is typed", run: toggle(".highlight", func(p *Prompt) *bool { return &p.Color }), complete: fixed(onOff)},
		{name: ".pager", args: "[on|off|COMMAND]", help: "show what is longer than the screen through a program; without an argument: on or off", run: (*Prompt).setPager, complete: fixed(onOff)},
		{name: ".echo", args: "[on|off]", help: "write each statement of a file before its result", run: toggle(".echo", func(p *Prompt) *bool { return &p.Settings.Echo }), complete: fixed(onOff)},
		{name: ".bail", args: "[on|off]", help: "end a file at its first error", run: toggle(".bail", func(p *Prompt) *bool { return &p.Settings.Bail }), complete: fixed(onOff)},
		{name: ".set", args: "[NAME [VALUE]]", help: "set what psql's \\pset does: expanded, fieldsep, format, null, pager, columns, tuples_only; without a name: show it all", aliases: []string{`\pset`}, run: (*Prompt).pset, complete: completePset},
		{name: ".show", help: "show the settings", run: (*Prompt).showSettings},
	}
}

func onOff(*completer) []string { return []string{"on", "off"} }

// toggle sets a switch; without an argument it turns it over.
func toggle(name string, of func(*Prompt) *bool) func(*Prompt, context.Context, string) error {
	return func(p *Prompt, _ context.Context, args string) error {
		on := of(p)
		switch strings.ToLower(args) {
		case "":
			*on = !*on
		case "on", "true", "1", "yes":
			*on = true
		case "off", "false", "0", "no":
			*on = false
		default:
			return usage(name)
		}
		return nil
	}
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
		return usage(name)
	}
	*into = int(n)
	return nil
}

func (p *Prompt) nullValue(_ context.Context, args string) error {
	p.Settings.Null = nil
	if list := wordsOf(args); len(list) > 0 {
		p.Settings.Null = &list[0]
	}
	return nil
}

// setPager turns the pager on and off, or names another. That runs a program: it
// is not for SQL of other people's.
func (p *Prompt) setPager(_ context.Context, args string) error {
	pager := &p.Tools.Pager.Command
	if *pager != "" {
		p.pagerOff = *pager
	}
	switch {
	case args == "off", args == "" && *pager != "":
		*pager = ""
	case args == "on", args == "always", args == "":
		*pager = cmp.Or(p.pagerOff, show.DefaultPager)
	case p.Safe:
		return fmt.Errorf(".pager %s: %s", args, acts(p.Config))
	default:
		*pager = args
	}
	return nil
}

// psets are the settings of psql's \pset, by the command that sets each here.
var psets = map[string]string{
	"expanded": ".line", "x": ".line", "null": ".nullvalue", "pager": ".pager", "columns": ".width",
	"format": ".mode", "tuples_only": ".headers", "t": ".headers", "footer": ".timer",
}

// psqlFormats are psql's names of formats that we have under another.
var psqlFormats = map[string]string{"aligned": "table", "wrapped": "table", "unaligned": "tsv"}

func psetNames() []string {
	var names []string
	for name := range psets {
		if len(name) > 1 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (p *Prompt) pset(ctx context.Context, args string) error {
	name, value, _ := strings.Cut(args, " ")
	if name == "" {
		return p.showSettings(ctx, "")
	}
	command, ok := psets[strings.ToLower(name)]
	if !ok {
		return fmt.Errorf(`\pset %s: there is %s`, name, strings.Join(psetNames(), ", "))
	}
	switch value = strings.TrimSpace(value); command {
	case ".mode":
		value = cmp.Or(psqlFormats[value], value)
	case ".headers":
		value = map[string]string{"on": "off", "off": "on"}[strings.ToLower(value)]
	}
	return p.commands.find(command).run(p, ctx, value)
}

func completePset(c *completer, done []string, typed string) []string {
	switch len(done) {
	case 0:
		return psetNames()
	case 1:
		if d := c.commands.find(psets[done[0]]); d != nil && d.complete != nil {
			return d.complete(c, nil, typed)
		}
	}
	return nil
}

func (p *Prompt) showSettings(context.Context, string) error {
	word := map[bool]string{true: "on", false: "off"}
	null := "NULL"
	if p.Settings.Null != nil {
		null = *p.Settings.Null
	}
	output := "the terminal"
	if p.sink.output != nil {
		output = p.sink.output.Name()
	}
	number := func(n int, none string) string {
		if n == 0 {
			return none
		}
		return strconv.Itoa(n)
	}
	rows := [][]string{
		{".mode", cmp.Or(p.Settings.Format, "table")}, {".output", output}, {".timer", word[p.Settings.Timer]},
		{".headers", word[p.Settings.Headers]}, {".width", number(p.Settings.Width, "as wide as the terminal")},
		{".maxrows", number(p.Settings.MaxRows, "all")}, {".nullvalue", null}, {".highlight", word[p.Color]},
		{".pager", cmp.Or(p.Tools.Pager.Command, "off")}, {".echo", word[p.Settings.Echo]}, {".bail", word[p.Settings.Bail]},
		{".open", p.View.Store},
	}
	return p.sink.deliver(func(to *render.Output) error { return render.Listing(to, to.Width, rows) })
}
