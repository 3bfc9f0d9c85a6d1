package prompt

import (
	"context"
	"io"

	"hindsql/engine"
	"hindsql/queries"
)

// Config is what a prompt works with. Functions that may be nil say so.
type Config struct {
	Session  *engine.Session // for completion, and the parameters of saved queries
	Editor   Editor
	Out, Err io.Writer
	Settings *Settings
	History  string // path of the file; empty: none is kept
	Folder   string // folder of the user's saved queries; empty when no home is known
	Getenv   func(string) string

	Short func(path string) string // with ~ for the home folder
	Long  func(path string) string // the path that an argument names, which may begin with ~

	Screen        func() (columns, lines int)                                 // may be nil: Out is no terminal, and nothing is paged
	Lend          func() (resume func())                                      // gives the terminal to another program; may be nil
	Interruptible func(context.Context) (context.Context, context.CancelFunc) // a context that Ctrl-C ends; may be nil

	Complain  func(error)                                            // tells of an error
	Sync      func(context.Context) error                            // loads what changed; nil when it shall not
	Query     func(ctx context.Context, to Target, sql string) error // runs a statement
	RunSaved  func(ctx context.Context, to Target, name string, values []string) error
	Describe  func(ctx context.Context, to Target, table string) error // error for what is no table of ours
	Tables    func(context.Context, Target) error
	Sources   func(context.Context, Target) error
	Listing   func(to Target, rows [][]string) error // rows of short texts in columns
	ListSaved func(Target) error                     // lists the saved queries
	Refresh   func(context.Context, Target) error    // syncs, and says what changed
	Saved     func() []*queries.Query
	Create    func(path string) (File, error)

	Export func(ctx context.Context, to Target, args []string) error // may be nil: there is no .export
	Chart  func(ctx context.Context, to Target, sql string) error    // may be nil: there is no .chart
}

// Settings are how results look; dot commands change them.
type Settings struct {
	Format  string  // empty: what the query or the file's name asks for, else a table
	Width   int     // columns of the terminal; 0: as many as it has
	MaxRows int     // rows of a table on the terminal; 0: all
	Null    *string // text of a NULL; nil: the format's own
	Timer   bool    // a table's last line says how long it took
}

// Target is where a result goes.
type Target struct {
	io.Writer
	File string // the path of a file; empty for the terminal
}

// File is a file that appears under its name when it is complete.
type File struct {
	io.Writer
	Commit  func() error
	Abandon func() // does nothing after Commit
}
