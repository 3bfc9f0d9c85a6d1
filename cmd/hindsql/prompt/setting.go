package prompt

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"hindsql/cmd/hindsql/term"
)

// settingCommands returns the commands that change or show how results look.
func settingCommands() []command {
	return []command{
		{name: ".timer", args: "[on|off]", help: "say how long each statement took", aliases: []string{`\timing`}, run: toggle(".timer", func(c *Config) *bool { return &c.Settings.Timer }), complete: fixed(onOff)},
		{name: ".headers", args: "[on|off]", help: "begin CSV and TSV with the names of the columns", run: toggle(".headers", func(c *Config) *bool { return &c.Settings.Headers }), complete: fixed(onOff)},
		{name: ".width", args: "N", help: "draw tables N columns wide; 0: as wide as the terminal", run: byConfig(setWidth)},
		{name: ".maxrows", args: "N", help: "show N rows of a table at most; 0: all", run: byConfig(setMaxRows)},
		{name: ".nullvalue", args: "[TEXT]", help: "show NULL as this text in tables and lines; without one: as NULL, as nothing in a saved query", run: byConfig(setNull)},
		{name: ".pager", args: "[on|off|COMMAND]", help: "show what is longer than the screen through a program; without an argument: on or off", run: byLook(setPager), complete: fixed(onOff)},
		{name: ".bail", args: "[on|off]", help: "end a file at its first error", run: toggle(".bail", func(c *Config) *bool { return &c.Settings.Bail }), complete: fixed(onOff)},
		{name: ".show", help: "show the settings", run: bySink(showSettings)},
	}
}

func onOff(*completer) []string { return []string{"on", "off"} }

// look remembers former settings, to which commands switch back.
type look struct {
	*Config
	lined    string // the format before .line
	pagerOff string // the pager before .pager off
}

// toggle returns an action that turns a setting on or off.
func toggle(name string, of func(*Config) *bool) action {
	return byConfig(func(_ context.Context, c *Config, args string) error { return turn(name, of(c), args) })
}

// turn turns a setting on or off. Without an argument, it changes on to off or off to
// on.
func turn(name string, on *bool, args string) error {
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

func setWidth(_ context.Context, c *Config, args string) error {
	return setNumber(".width", args, &c.Settings.Width)
}

func setMaxRows(_ context.Context, c *Config, args string) error {
	return setNumber(".maxrows", args, &c.Settings.MaxRows)
}

func setNumber(name, args string, into *int) error {
	n, err := strconv.ParseUint(args, 10, 31)
	if err != nil {
		return usage(name)
	}
	*into = int(n)
	return nil
}

func setNull(_ context.Context, c *Config, args string) error {
	c.Settings.Null = nil
	if list := wordsOf(args); len(list) > 0 {
		c.Settings.Null = &list[0]
	}
	return nil
}

// setPager turns the pager on or off, or sets another program as the pager. In safe
// mode it refuses another program, because the SQL and commands are other people's.
func setPager(_ context.Context, l *look, args string) error {
	pager := &l.Tools.Pager.Command
	if *pager != "" {
		l.pagerOff = *pager
	}
	switch {
	case args == "off", args == "" && *pager != "":
		*pager = ""
	case args == "on", args == "always", args == "":
		*pager = cmp.Or(l.pagerOff, term.DefaultPager)
	case l.Safe:
		return fmt.Errorf(".pager %s: %s", args, acts(l.Config))
	default:
		*pager = args
	}
	return nil
}

func showSettings(_ context.Context, s *sink, _ string) error {
	word := map[bool]string{true: "on", false: "off"}
	null := "NULL"
	if s.Settings.Null != nil {
		null = *s.Settings.Null
	}
	output := "the terminal"
	if s.output != nil {
		output = s.output.Name()
	}
	number := func(n int, none string) string {
		if n == 0 {
			return none
		}
		return strconv.Itoa(n)
	}
	rows := [][]string{
		{".mode", cmp.Or(s.Settings.Format, "table")}, {".output", output}, {".timer", word[s.Settings.Timer]},
		{".headers", word[s.Settings.Headers]}, {".width", number(s.Settings.Width, "as wide as the terminal")},
		{".maxrows", number(s.Settings.MaxRows, "all")}, {".nullvalue", null},
		{".pager", cmp.Or(s.Tools.Pager.Command, "off")}, {".bail", word[s.Settings.Bail]},
		{".open", s.View.Store},
	}
	return s.deliver(func(to *term.Output) error { return term.Listing(to, to.Width, rows) })
}
