package prompt

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"hindsql/cmd/hindsql/term"
)

func outputCommands() []command {
	return []command{
		{name: ".mode", args: "[FORMAT]", help: "set the format of results, or tell it", run: byConfig(setMode), complete: fixed(func(*completer) []string { return term.Names() })},
		{name: ".line", args: "[on|off|auto]", help: "show each value on a line of its own; auto, as at first: where a table would hide most; alone: on or back", aliases: []string{`\x`}, run: byLook(setLine), complete: fixed(func(c *completer) []string { return append(onOff(c), "auto") })},
		{name: ".output", args: "[FILE]", help: "write results to a file from now on; without one: to the terminal again", aliases: []string{`\o`}, run: bySink(setOutput), complete: paths, needs: acts},
		{name: ".once", args: "FILE | |COMMAND", help: "write the next result to a file, whose name may give the format, or to a program", run: bySink(setOnce), complete: paths, needs: acts},
	}
}

func setMode(_ context.Context, c *Config, args string) error {
	if args == "" {
		_, err := fmt.Fprintln(c.Out, cmp.Or(c.Settings.Format, "table, unless a saved query or a file's name asks for another"))
		return err
	}
	format, err := term.ByName(args)
	if err != nil {
		return err
	}
	c.Settings.Format = format.Name
	if format.Name == "table" {
		c.Settings.Format = "" // empty instead of table, so .once x.csv still writes CSV
	}
	return nil
}

// setLine switches between the line format, with each value on its own line, and the
// format before. The setting auto, which is the default, uses lines only if a table
// would hide most of its values.
func setLine(_ context.Context, l *look, args string) error {
	is := l.Settings.Format == "line"
	want := !is
	if args == "auto" {
		want, l.Settings.Auto = false, true
	} else if args != "" {
		if err := turn(".line", &want, args); err != nil {
			return err
		}
		l.Settings.Auto = false
	}
	switch {
	case want && !is:
		l.Settings.Format, l.lined = "line", l.Settings.Format
	case !want && is:
		l.Settings.Format, l.lined = l.lined, ""
	}
	if l.Editor != nil {
		fmt.Fprintln(l.Out, l.lineState())
	}
	return nil
}

// lineState says which format results have.
func (l *look) lineState() string {
	switch {
	case l.Settings.Format == "line":
		return "each value on a line of its own"
	case l.Settings.Auto && l.Settings.Format == "":
		return "tables; each value on a line of its own where a table would hide most"
	}
	return "format " + cmp.Or(l.Settings.Format, "table")
}

func setOutput(_ context.Context, s *sink, args string) error {
	list := wordsOf(args)
	if len(list) > 1 {
		return usage(".output")
	}
	s.close()
	if len(list) == 0 {
		return nil
	}
	return s.open(s.long(list[0]))
}

func setOnce(_ context.Context, s *sink, args string) error {
	if strings.HasPrefix(args, "|") && strings.TrimSpace(args[1:]) != "" {
		s.once = args
		return nil
	}
	list := wordsOf(args)
	if len(list) != 1 {
		return usage(".once")
	}
	s.once = s.long(list[0])
	return nil
}
