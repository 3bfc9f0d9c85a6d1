// Package readers says what a reader of an agent's logs is, finds the logs,
// and holds what all readers share: lines, JSON, counts of record kinds.
//
// In: the bytes of one log file. Out: [tables.Event] values, through a plain
// function. A reader never writes, moves or locks a log, and no bad byte ends
// it: what can't be read is a [tables.Problem].
package readers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"time"

	"hindsql/tables"
)

// Reader declares how the logs of one agent are found and read.
type Reader struct {
	Agent   string // value of every table's agent column
	Title   string // the agent's name for people
	Version int    // raised whenever the same bytes give other rows
	Env     string // variable that holds the roots, separated by commas; empty for none
	EnvSub  string // folder below what Env names that is the root; empty for none
	Roots   func(Host) []string
	Under   []string              // what below a root is looked at: folders and files, slash-separated; * is any one name
	IsLog   func(rel string) bool // whether a file is a log; rel is slash-separated, below the root
	With    []string              // what stands behind a log's name in the names of files that belong to it, such as -wal
	Read    func(*Input) error    // emits the events of one log, or of one part; errors are those of reading it only
	// Parts lists the parts of a log that holds many sessions; none for a log
	// that doesn't, nil where no log does. It is asked for a log that changed.
	Parts   func(*Input) ([]Part, error)
	Records map[Fact]Extent   // what the logs hold; NotRecorded where it isn't named
	Fields  func() *FieldList // the known fields of its records, see Fields; nil: fields are not looked at
	// Open opens a log, or a file beside one; nil: from the disk, see [OpenFile].
	Open     func(path string) (io.ReadCloser, error)
	Tested   string // newest version of the agent whose logs the reader was tested with; empty where logs name none
	Versions string // those whose logs were tested, for people
	Kept     string // for people, a sentence or two: how long the agent keeps its logs
	Ended    string // sentences: since when the agent is given out no more, and what came after it; empty while it is
	// Retention reads the same from the agent's settings of a root; nil where the
	// agent has none that is known. The error is that of the settings' file.
	Retention func(root string) (Retention, error)
	// Worktrees is where the agent makes git worktrees to work in. A change
	// shows in a store when the tables are made anew: raise their rowsVersion.
	Worktrees tables.Worktrees
	// Settings are folders of the agent's settings that lie elsewhere than its
	// roots: they are there before its first log is. Nil where a root is.
	Settings func(Host) []string
	// Skills says where the agent looks for skills.
	Skills SkillFolders
	// Servers says how the agent is told of MCP servers.
	Servers Servers
	// Resume is the command line that goes on with a main session, ID standing for
	// the id that the agent gave it; empty where the agent has none.
	Resume string
}

// WorktreesOf is where agents make worktrees.
func WorktreesOf(list []*Reader) (places tables.Worktrees) {
	for _, r := range list {
		places = append(places, r.Worktrees...)
	}
	return places
}

// Log is a log file that was found.
type Log struct {
	Root       string // absolute
	Rel        string // slash-separated, below Root
	Path       string // absolute
	Size       int64  // bytes
	ModifiedAt time.Time
	// Err says why it is none that could be read: something else under a log's
	// name, or a folder that can't be listed. Nil for a log.
	Err error
}

// Input is one log for a reader.
type Input struct {
	Rel  string // slash-separated, below the root
	Part string // the part to read; empty for the log itself, without its parts
	Open func() (io.ReadCloser, error)
	// Beside reads another file below the same root, of BesideLimit bytes at
	// most; fs.ErrNotExist where there is none. A later change of the file, or
	// its coming, is one of the log: files that many logs share are logs of
	// their own instead.
	Beside func(rel string) ([]byte, error)
	// Exists says whether another file below the same root is there. Only its
	// coming and going are a change of the log.
	Exists func(rel string) bool
	// With opens a file that belongs to the log, by what stands behind the
	// log's name: one of Reader.With. fs.ErrNotExist where there is none.
	//
	// What it gives, and what Open and Aside give, is an [io.ReaderAt] with the
	// Stat, Name and SyscallConn of an [os.File] where it comes from the disk. A failure of ReadAt is noted nowhere:
	// the reader's error tells it, as an [*Unread].
	With func(suffix string) (io.ReadCloser, error)
	// Aside opens another file below the same root, whose later change is none
	// of the log, unless Watch is called before.
	Aside func(rel string) (io.ReadCloser, error)
	// Names gives the names in another folder below the same root, in order;
	// none where there is no such folder. Which there are later is a change of
	// the log.
	Names func(rel string) ([]string, error)
	// NamesAside is Names for a folder whose later change is none of the log.
	NamesAside func(rel string) ([]string, error)
	// Watch has a later change of another file below the same root, or its
	// coming, be one of the log: of one that many logs share, for as long as
	// what it says of this log may still come.
	Watch func(rel string)
	// ModifiedAt is the log's time of modification; zero where it isn't known.
	ModifiedAt time.Time
	Emit       func(tables.Event)

	fields *FieldList // nil: fields are not looked at
	tested string
	size   int64 // of the log when it was found, in bytes; 0 where it isn't known
	large  *bool // set to true for a log with a large text; may be nil
}

// Load is Try for who takes what could be read; why the rest couldn't is a
// problem of the file.
func (r *Reader) Load(log Log, src tables.Source, before ...tables.Neighbour) *tables.File {
	f, unread := r.Try(log, src, before...)
	if unread != nil {
		f.Emit(&tables.Problem{What: unread.Error()})
	}
	return f
}

// Try reads one log into the rows of src. What goes wrong with the log, the
// reader's own panic included, is a problem of the file; what was read before
// it stays. It is nil for a part that is no longer in its file. Before are
// neighbours that were looked at earlier.
//
// The error is a [*Unread], when the log, or a file beside it, was not read to its
// end, or the reader says so: the rows are those of what was, and nothing in them
// tells of that.
func (r *Reader) Try(log Log, src tables.Source, before ...tables.Neighbour) (*tables.File, error) {
	return r.try(nil, log, src, before)
}

func (r *Reader) try(l *lane, log Log, src tables.Source, before []tables.Neighbour) (*tables.File, error) {
	own := disk{reader: r, lane: l}
	near := neighbourhood{root: log.Root, met: before, disk: disk{reader: r, lane: l}}
	f, err := r.load(near.input(log, &own), src)
	if src.Part != "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, n := range near.met {
		if src.Part == "" || !r.belongs(n.Path, log) {
			f.Neighbour(n)
		}
	}
	if unread := near.unread(&own, err); unread != nil {
		return f, unread
	}
	if err != nil {
		f.Emit(problemOf(err))
	}
	return f, nil
}

// Unread is the error of a log that could not be read to its end. It may be
// possible later, and the log the same.
type Unread struct {
	Err    error
	Beside string // path of the file beside the log that it was; empty for the log itself
}

// Error gives the system's words, which name the file.
func (u *Unread) Error() string { return u.Err.Error() }

// Unwrap gives the system's error.
func (u *Unread) Unwrap() error { return u.Err }

func problemOf(err error) *tables.Problem {
	if errors.Is(err, fs.ErrNotExist) {
		return &tables.Problem{What: "vanished while it was read"}
	}
	return &tables.Problem{What: err.Error()}
}

// LoadFrom is Load for an input that need not lie on a disk. Its Emit, if set,
// sees each event before the rows take it.
func (r *Reader) LoadFrom(in Input, src tables.Source) *tables.File {
	f, err := r.load(in, src)
	if err == nil {
		return f
	}
	p := problemOf(err)
	if in.Emit != nil {
		in.Emit(p)
	}
	f.Emit(p)
	return f
}

func (r *Reader) load(in Input, src tables.Source) (*tables.File, error) {
	f := tables.NewFile(src)
	also := in.Emit
	emit := func(e tables.Event) {
		if c, ok := e.(*tables.ToolCall); ok && c.Parts == nil {
			c.Parts = partsBy(c.ToolName)
		}
		if also != nil {
			also(e)
		}
		f.Emit(e)
	}
	in.Emit, in.tested, in.Part, in.large = emit, r.Tested, src.Part, &f.Large
	if r.Fields != nil {
		in.fields = r.Fields()
	}
	err := r.readSafely(&in)
	if f.Large {
		GiveBack()
	}
	return f, err
}

func (r *Reader) readSafely(in *Input) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("reader panicked: %v; please report it: %.600s", p, debug.Stack())
		}
	}()
	return r.Read(in)
}

// Peek opens a log whose first bytes tell what it is. use may look at them in
// head; the Input it gets reads the log from its beginning, and can be opened
// once.
func Peek(in *Input, use func(head *bufio.Reader, in *Input) error) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	head, once := bufio.NewReader(f), *in
	once.Open = func() (io.ReadCloser, error) { return io.NopCloser(head), nil }
	return use(head, &once)
}
