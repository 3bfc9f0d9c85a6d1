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

// Config is what a prompt works with.
type Config struct {
	View       *term.View // the session, and how it is shown, in the prompt's own words
	Safe       bool       // SQL of other people's runs: no command writes, reads or runs anything outside
	Synced     bool       // the logs are looked at before statements
	Editor     Editor
	Out, Err   io.Writer
	Color      bool         // results have colours on Out
	ASCII      bool         // charts are drawn in letters of ASCII
	Width      int          // columns of Out, where the Editor is no [Screen]
	Results    *term.Output // of a script: where results go; nil: to Out
	Settings   Settings
	InitFile   string // for people: the file that each start runs
	History    string // path of the file; empty: none is kept
	Folder     string // folder of the user's saved queries; empty when no home is known
	Tools      Tools
	Interrupts Interrupts // may be nil: nothing interrupts a statement
	Exporter   Exporter   // may be nil: there is no .export
	Opener     Opener     // may be nil: there is no .open
}

// dotWords are what messages propose at the prompt.
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
	// Export takes the arguments of .export. It writes to to what is meant for the
	// terminal.
	Export(ctx context.Context, to io.Writer, args []string) error
}

// Settings are how results look; dot commands change them.
type Settings struct {
	Format  string  // empty: what the query or the file's name asks for, else a table
	Width   int     // columns of the terminal; 0: as many as it has
	MaxRows int     // rows of a table on the terminal; 0: all
	Null    *string // text of a NULL; nil: the format's own
	Timer   bool    // a table's last line says how long it took
	Headers bool    // CSV and TSV begin with the names of the columns
	Echo    bool    // of a file: its statements are written, too
	Bail    bool    // of a file: its first error ends it
	Auto    bool    // rows that a table would mostly hide are written in lines
}

// Tools are the user's own programs.
type Tools struct {
	Pager  term.Pager
	Editor string // a command line
	Shell  string // likewise
}

// ToolsOf are those that the environment names; lookup gives a variable, and
// whether it is set.
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

// complain tells the user of an error.
func (c *Config) complain(err error) {
	if text := c.View.Explain(err); c.Editor == nil {
		term.Notice(c.Err, "%s", text)
	} else {
		fmt.Fprintln(c.Err, text)
	}
}

// report tells the user of an error, except that a pager was left early.
func (c *Config) report(err error) {
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(c.Err, "interrupted")
	default:
		c.complain(err)
	}
}

// long is the path that an argument names.
func (c *Config) long(path string) string { return atomicfile.Long(c.View.Home, path) }

// interruptible is a context that Ctrl-C ends, too.
func (c *Config) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Interrupts == nil {
		return context.WithCancel(ctx)
	}
	return c.Interrupts.Interruptible(ctx)
}
