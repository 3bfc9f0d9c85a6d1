// Package readers defines the reader of an agent's logs, finds the logs, and holds the
// code that all readers share: lines, JSON, counts of record kinds.
//
// A reader gets the bytes of one log file and passes [tables.Event] values to a plain
// function. A reader never writes, moves or locks a log. No bad byte ends it:
// unreadable bytes become a [tables.Problem].
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
	Version int    // raised whenever the same bytes give different rows
	Env     string // variable with the roots, separated by commas; empty if the agent has none
	EnvSub  string // folder below each path in Env that is the root; empty if the path is the root
	Roots   func(Host) []string
	// Under lists paths of folders and files below a root, slash-separated. * matches a
	// name or a part of one. All files in the folders, at any depth, and the listed files
	// are logs if IsLog says so. So a file right below a root needs its own entry, for
	// example history.jsonl or *.db.
	Under []string
	IsLog func(rel string) bool // whether a file is a log; rel is its path below the root, slash-separated
	With  []string              // name suffixes of files belonging to a log, for example -wal
	Read  func(*Input) error    // emits the events of one log or part; errors are read errors only
	// Parts lists the parts of a log that holds many sessions. It returns no parts for
	// any other log, and is nil if no log of the agent has parts. It runs for each
	// changed log.
	Parts func(*Input) ([]Part, error)
	// PartsOnly: a log with parts has no rows of its own. A change that changes no part
	// reads nothing.
	PartsOnly bool
	Records   map[Fact]Extent   // facts that the logs hold; an unlisted fact is NotRecorded
	Fields    func() *FieldList // known fields of the records, see Fields; nil: fields are not checked
	// Open opens a log, or a file beside a log. If nil, [OpenFile] opens it from the
	// disk.
	Open     func(path string) (io.ReadCloser, error)
	Tested   string // newest version of the agent whose logs were tested; empty if none were, or logs name no version
	Versions string // tested versions of the agent, for people
	Kept     string // a sentence or two for people: how long the agent keeps logs
	Ended    string // sentences: since when the agent is discontinued, and its successor; empty for a current agent
	// Retention reads from the agent's settings of a root how long logs are kept.
	// Retention is nil if no setting is known. The error is from reading the settings
	// file.
	Retention func(root string) (Retention, error)
	// Worktrees lists where the agent makes git worktrees to work in. After changing
	// the list, raise the tables' rowsVersion: a store applies the change only when the
	// tables are rebuilt.
	Worktrees tables.Worktrees
	// Settings lists the agent's settings folders outside its roots. They exist before
	// the first log. Settings is nil if a root holds the settings.
	Settings func(Host) []string
	// Skills tells where the agent looks for skills, or why hindsql can't tell.
	Skills SkillFolders
	// Servers tells how to register MCP servers with the agent, or why hindsql can't.
	Servers Servers
	// Resume is the command line that continues a main session. ID stands for the
	// agent's id of the session. Resume is empty if the agent can't continue sessions.
	Resume string
}

// WorktreesOf returns the places where agents make worktrees.
func WorktreesOf(list []*Reader) (places tables.Worktrees) {
	for _, r := range list {
		places = append(places, r.Worktrees...)
	}
	return places
}

// Log is a log file that was found.
type Log struct {
	Root       string // absolute path
	Rel        string // path below Root, slash-separated
	Path       string // absolute path
	Size       int64  // bytes
	ModifiedAt time.Time
	// Err is nil for a log. Otherwise Err says why the entry can't be read. For
	// example, a pipe has a log's name, or a folder can't be listed.
	Err error
}

// Input is one log for a reader.
type Input struct {
	Rel  string // path below the root, slash-separated
	Part string // part to read; empty for the log itself without its parts
	Open func() (io.ReadCloser, error)
	// Beside reads another file below the same root, of at most BesideLimit bytes. It
	// returns fs.ErrNotExist for a missing file. If the file later changes or appears,
	// the log counts as changed. So a file shared by many logs should be a log instead.
	Beside func(rel string) ([]byte, error)
	// Exists reports whether another file below the same root exists. The log counts as
	// changed if the file later appears or disappears.
	Exists func(rel string) bool
	// With opens a file belonging to the log, by a suffix from Reader.With. It returns
	// fs.ErrNotExist for a missing file.
	//
	// If the result of With, Open or Aside comes from the disk, it is an [io.ReaderAt]
	// with the Stat, Name and SyscallConn of an [os.File]. A failure of ReadAt is not
	// noted: the reader must return it as an [*Unread].
	With func(suffix string) (io.ReadCloser, error)
	// Aside opens another file below the same root. A later change of the file doesn't
	// count as a change of the log, unless the reader called Watch before.
	Aside func(rel string) (io.ReadCloser, error)
	// Names returns the sorted names in another folder below the same root, or none if
	// the folder is missing. If the names change later, the log counts as changed.
	Names func(rel string) ([]string, error)
	// NamesAside is Names, but a later change of the folder doesn't count as one of the
	// log.
	NamesAside func(rel string) ([]string, error)
	// Watch makes later changes of another file below the same root, or its appearance,
	// count as changes of the log. Use Watch for a file shared by many logs, while the
	// file may still get information about this log.
	Watch func(rel string)
	// ModifiedAt is the log's time of modification, or zero if unknown.
	ModifiedAt time.Time
	Emit       func(tables.Event)

	fields *FieldList // nil: fields are not checked
	tested string
	size   int64 // bytes of the log when it was found; 0 if unknown
	large  *bool // set to true if the log has a large text; may be nil
}

// Load is Try for callers that accept a partly read log. An unread rest becomes a
// problem of the file.
func (r *Reader) Load(log Log, src tables.Source, before ...tables.Neighbour) *tables.File {
	f, unread := r.Try(log, src, before...)
	if unread != nil {
		f.Emit(&tables.Problem{What: unread.Error()})
	}
	return f
}

// Try reads one log into the rows of src. Errors in the log, and a panic of the reader,
// become problems of the file; rows read before them stay. The file is nil if the part
// is no longer in its log. before lists neighbours that the caller has already looked
// at.
//
// The error is an [*Unread] if the log or a file beside it was not read completely, or
// if the reader returns an Unread. The rows then cover the bytes read, and don't
// mention the rest.
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

// Unread is the error of an incompletely read log. A later try may succeed without a
// change of the log.
type Unread struct {
	Err    error
	Beside string // path of the unread file beside the log; empty for the log itself
}

// Error names the file and the fault.
func (u *Unread) Error() string { return inWords(u.Err) }

// Unwrap returns the system's error.
func (u *Unread) Unwrap() error { return u.Err }

func problemOf(err error) *tables.Problem {
	if errors.Is(err, fs.ErrNotExist) {
		return &tables.Problem{What: "vanished while it was read"}
	}
	return &tables.Problem{What: err.Error()}
}

// LoadFrom is Load for an input that may come from elsewhere than a disk. If in.Emit is
// set, it sees each event before the rows do.
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

// Peek opens a log to find its format by the first bytes. use may peek into head. The
// Input passed to use reads the log from the beginning, and can be opened once.
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

// Other is an agent whose logs hindsql doesn't read. `hindsql sources` names the agent if
// one of its folders exists.
type Other struct {
	Title   string
	Folders func(Host) []string // the agent's own folders or files; never opened, only looked for
	Why     string              // why the logs aren't read, for people; no capital, no full stop
}

// Retention is how long an agent keeps an unchanged log before deleting it.
type Retention struct {
	Days    int    // days since the last write to the log
	Setting string // name of the setting
	File    string // path of the agent's settings file, which may be missing
	Set     bool   // true if the user set Days; false if Days is the agent's default
}
