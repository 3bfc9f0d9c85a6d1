package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
)

// Config holds a prompt's session, streams and settings.
type Config struct {
	View       *term.View // the session and its display, in the prompt's own words
	Safe       bool       // the SQL is other people's: no command writes, reads or runs anything outside
	Synced     bool       // the prompt syncs with the logs before statements
	Editor     Editor
	Out, Err   io.Writer
	Color      bool         // results on Out have colours
	ASCII      bool         // charts use ASCII characters only
	Width      int          // columns of Out, unless the Editor is a [Screen] that knows its size
	Results    *term.Output // for a script: destination of results; nil means Out
	Settings   Settings
	InitFile   string  // for messages: path of the user's init.sql, which runs at each start
	History    string  // path of the history file; empty if no history is kept
	Own        ask.Own // the user's saved queries
	Tools      Tools
	Interrupts Interrupts // nil if nothing interrupts a statement
	Exporter   Exporter   // nil if the prompt has no .export
	Opener     Opener     // nil if the prompt has no .open
}

// dotWords holds the commands of the prompt that messages propose.
var dotWords = ask.Words{
	ask.SeeTables: ".tables", ask.SeeColumns: ".describe NAME", ask.SeeQueries: ".queries", ask.SeeSessions: ".run sessions",
	ask.SeeProblems: ".problems", ask.SeeQuality: ".run data-quality",
	ask.Refresh: ".refresh", ask.TrySample: "hindsql --sample", ask.Prune: "hindsql prune", ask.OtherStore: "--store", ask.WholeExport: "--update",
}

// Interrupts hands out contexts that Ctrl-C ends.
type Interrupts interface {
	Interruptible(context.Context) (context.Context, context.CancelFunc)
}

// Exporter writes the tables to files.
type Exporter interface {
	// Export takes the arguments of .export. Messages for the terminal go to to.
	Export(ctx context.Context, to io.Writer, args []string) error
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

// complain shows the user an error.
func (c *Config) complain(err error) {
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
		c.complain(err)
	}
}

// long returns the full path for an argument.
func (c *Config) long(path string) string { return atomicfile.Long(c.View.Home, path) }

// interruptible returns a context that ends with ctx, or at Ctrl-C.
func (c *Config) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Interrupts == nil {
		return context.WithCancel(ctx)
	}
	return c.Interrupts.Interruptible(ctx)
}
