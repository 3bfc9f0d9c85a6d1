package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
)

// settingCommands returns the commands that change or show how results look.
func settingCommands() []command {
	return []command{
		{name: ".timer", args: "[on|off]", help: "say how long each statement took", aliases: []string{`\timing`}, run: toggle(".timer", func(c *Config) *bool { return &c.Settings.Timer }), complete: completeFrom(onOff)},
		{name: ".headers", args: "[on|off]", help: "begin CSV and TSV with the names of the columns", run: toggle(".headers", func(c *Config) *bool { return &c.Settings.Headers }), complete: completeFrom(onOff)},
		{name: ".width", args: "N", help: "draw tables N columns wide; 0: as wide as the terminal", run: setNumber(".width", func(s *Settings) *int { return &s.Width })},
		{name: ".maxrows", args: "N", help: "show N rows of a table at most; 0: all", run: setNumber(".maxrows", func(s *Settings) *int { return &s.MaxRows })},
		{name: ".nullvalue", args: "[TEXT]", help: "show NULL as this text in tables and lines; without one: as NULL, as nothing in a saved query", run: byConfig(setNull)},
		{name: ".pager", args: "[on|off|COMMAND]", help: "show what is longer than the screen through a program; without an argument: on or off", run: byResultSettings(setPager), complete: completeFrom(onOff)},
		{name: ".bail", args: "[on|off]", help: "end a file at its first error", run: toggle(".bail", func(c *Config) *bool { return &c.Settings.Bail }), complete: completeFrom(onOff)},
		{name: ".show", help: "show the settings", run: bySink(showSettings)},
	}
}

func onOff(*completer) []string { return []string{"on", "off"} }

// resultSettings remembers former settings, to which commands switch back.
type resultSettings struct {
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

// setNumber makes an action that sets a number from 0.
func setNumber(name string, of func(*Settings) *int) action {
	return byConfig(func(_ context.Context, c *Config, args string) error {
		n, err := strconv.ParseUint(args, 10, 31)
		if err != nil {
			return usage(name)
		}
		*of(&c.Settings) = int(n)
		return nil
	})
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
func setPager(_ context.Context, l *resultSettings, args string) error {
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

func outputCommands() []command {
	return []command{
		{name: ".mode", args: "[FORMAT]", help: "set the format of results, or tell it", run: byConfig(setMode), complete: completeFrom(func(*completer) []string { return term.Names() })},
		{name: ".line", args: "[on|off|auto]", help: "show each value on a line of its own; auto, as at first: where a table would hide most; alone: on or back", aliases: []string{`\x`}, run: byResultSettings(setLine), complete: completeFrom(func(c *completer) []string { return append(onOff(c), "auto") })},
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
func setLine(_ context.Context, l *resultSettings, args string) error {
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
func (l *resultSettings) lineState() string {
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

// Config holds a prompt's session, streams and settings.
type Config struct {
	View     *term.View // the session and its display, in the prompt's own words
	Safe     bool       // the SQL is other people's: no command writes, reads or runs anything outside
	Synced   bool       // the prompt syncs with the logs before statements
	Editor   Editor
	Out, Err io.Writer
	Color    bool         // results on Out have colours
	ASCII    bool         // charts use ASCII characters only
	Width    int          // columns of Out, unless the Editor is a [Screen] that knows its size
	Results  *term.Output // for a script: destination of results; nil means Out
	Settings Settings
	InitFile string  // for messages: path of the user's init.sql, which runs at each start
	History  string  // path of the history file; empty if no history is kept
	Own      ask.Own // the user's saved queries
	Tools    Tools
	// Interruptible returns a context that ends at Ctrl-C; nil if nothing interrupts a
	// statement.
	Interruptible func(context.Context) (context.Context, context.CancelFunc)
	// Export takes the arguments of .export, and writes the tables to files. Messages for
	// the terminal go to to. Nil if the prompt has no .export.
	Export func(ctx context.Context, to io.Writer, args []string) error
	// Open switches the View to the store at a path. It creates the store if missing. If
	// Open fails, the View stays unchanged. Nil if the prompt has no .open.
	Open func(ctx context.Context, path string) error
}

// dotWords holds the commands of the prompt that messages propose.
var dotWords = ask.Words{
	ask.SeeTables: ".tables", ask.SeeColumns: ".describe NAME", ask.SeeQueries: ".queries", ask.SeeSessions: ".run sessions",
	ask.SeeProblems: ".problems", ask.SeeQuality: ".run data-quality",
	ask.Refresh: ".refresh", ask.TrySample: "hindsql --sample", ask.Prune: "hindsql prune", ask.OtherStore: "--store", ask.WholeExport: "--update",
}

// Settings say how results look. Dot commands change them.
type Settings struct {
	Format  string  // empty means the format that the query or the file's name asks for, otherwise a table
	Width   int     // columns of the terminal; 0 means all
	MaxRows int     // rows of a table on the terminal; 0 means all
	Null    *string // text of a NULL; nil means the format's own
	Timer   bool    // a table's last line says how long its statement took
	Headers bool    // CSV and TSV begin with the names of the columns
	Bail    bool    // while a file runs: the first error ends it
	Auto    bool    // rows that a table would mostly hide are shown in the line format
}

// Tools are the user's own programs.
type Tools struct {
	Pager  term.Pager
	Editor string // a command line
	Shell  string // a command line
}

// ToolsOf returns the programs that the environment names, such as $EDITOR. lookup
// returns a variable's value, and whether the variable is set.
func ToolsOf(os string, lookup func(name string) (string, bool)) Tools {
	editor, shell, shellName := "vi", "sh", "SHELL"
	if os == "windows" {
		editor, shell, shellName = "notepad", "cmd", "COMSPEC"
	}
	for _, name := range []string{"EDITOR", "VISUAL"} {
		named, _ := lookup(name)
		editor = cmp.Or(strings.TrimSpace(named), editor)
	}
	named, _ := lookup(shellName)
	return Tools{Pager: term.PagerOf(lookup), Editor: editor, Shell: cmp.Or(strings.TrimSpace(named), shell)}
}

// printError shows the user an error.
func (c *Config) printError(err error) {
	if text := c.View.Explain(err); c.Editor == nil {
		term.Notice(c.Err, "%s", text)
	} else {
		fmt.Fprintln(c.Err, text)
	}
}

// report shows the user an error. Leaving a pager early is no error.
func (c *Config) report(err error) {
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(c.Err, "interrupted")
	default:
		c.printError(err)
	}
}

// long returns the full path for an argument.
func (c *Config) long(path string) string { return atomicfile.Long(c.View.Home, path) }

// interruptible returns a context that ends with ctx, or at Ctrl-C.
func (c *Config) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Interruptible == nil {
		return context.WithCancel(ctx)
	}
	return c.Interruptible(ctx)
}
