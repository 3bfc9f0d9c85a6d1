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
	"slices"
	"time"

	"hindsql/internal/logstart"
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
	// Unread names logs that the reader knows and doesn't read, and Companions other files
	// below Under. `hindsql sources` names the remaining files there with the suffix of a
	// log. Spaces separate names, * is a part of a name, and a slash ends a folder's name.
	Unread, Companions string
	// Packed is the suffix of logs that the agent compressed; empty if it compresses none.
	// A compressed log isn't found while the log lies beside it under the name without
	// the suffix.
	Packed string
	// NamedBy returns the end of a log's path below the root on which the log's rows
	// depend. A log that moves to a path with another end is read again. If nil, rows
	// depend on the whole path below the root.
	NamedBy  func(rel string) string
	Suffixes []string           // name suffixes of files belonging to a log, for example -wal
	Read     func(*Input) error // emits the events of one log or part; errors are read errors only
	// Parts lists the parts of a log that holds many sessions. It returns no parts for
	// any other log, and is nil if no log of the agent has parts. It runs for each
	// changed log.
	Parts func(*Input) ([]Part, error)
	// PartsOnly: a log with parts has no rows of its own. A change that changes no part
	// reads nothing.
	PartsOnly bool
	Records   map[Fact]Extent   // facts that the logs hold; an unlisted fact is NotRecorded
	Fields    func() *FieldList // known fields of the records, see Fields; nil: fields are not checked
	// Appends says that the agent only appends to its logs named *.jsonl, and at most drops
	// lines at the beginning of a history of prompts. Rows that such a log lost otherwise were
	// cut out by a program or a person.
	Appends bool
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
	// Skills lists where the agent looks for skills, or says why hindsql doesn't know.
	Skills SkillFolders
	// Servers declares how to register MCP servers with the agent, or says why hindsql can't.
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
	// ReadFile reads another file below the same root, of at most ReadFileLimit bytes. It
	// returns fs.ErrNotExist for a missing file. If the file later changes or appears,
	// the log counts as changed. So a file shared by many logs should be a log instead.
	ReadFile func(rel string) ([]byte, error)
	// Exists reports whether another file below the same root exists. The log counts as
	// changed if the file later appears or disappears.
	Exists func(rel string) bool
	// OpenCompanion opens a file belonging to the log, by a suffix from Reader.Suffixes.
	// It returns fs.ErrNotExist for a missing file.
	//
	// If the result of OpenCompanion, Open or OpenUnwatched comes from the disk, it is an
	// [io.ReaderAt] with the Stat, Name and SyscallConn of an [os.File]. A failure of
	// ReadAt is not recorded: the reader must return it as an [*Unread].
	OpenCompanion func(suffix string) (io.ReadCloser, error)
	// OpenUnwatched opens another file below the same root. A later change of the file
	// doesn't count as a change of the log, unless the reader called Watch before.
	OpenUnwatched func(rel string) (io.ReadCloser, error)
	// Names returns the sorted names in another folder below the same root, or none if
	// the folder is missing. If the names change later, the log counts as changed.
	Names func(rel string) ([]string, error)
	// NamesUnwatched is Names, but a later change of the folder doesn't count as a change
	// of the log.
	NamesUnwatched func(rel string) ([]string, error)
	// Watch makes later changes of another file below the same root, or its appearance,
	// count as changes of the log. Use Watch for a file shared by many logs, while the
	// file may still get information about this log.
	Watch func(rel string)
	// ModifiedAt is the log's time of modification, or zero if unknown.
	ModifiedAt time.Time
	Emit       func(tables.Event)

	fields *FieldList // nil: fields are not checked
	tested string
	size   int64           // bytes of the log when it was found; 0 if unknown
	large  *bool           // set to true if the log has a large text; may be nil
	start  *logstart.Watch // hashes the log's beginning; may be nil
}

// Load is TryLoad for callers that accept a partly read log. An unread rest becomes a
// problem of the file.
func (r *Reader) Load(log Log, src tables.Source, before ...tables.Neighbour) *tables.File {
	f, unread := r.TryLoad(log, src, before...)
	if unread != nil {
		f.Emit(&tables.Problem{What: unread.Error()})
	}
	return f
}

// TryLoad reads one log into the rows of src. Errors in the log, and a panic of the reader,
// become problems of the file; rows read before them stay. The file is nil if the part
// is no longer in its log. before lists neighbours that the caller has already looked
// at.
//
// The error is an [*Unread] if the log or a file beside it was not read completely, or
// if the reader returns an Unread. The rows then cover the bytes read, and don't
// mention the rest.
func (r *Reader) TryLoad(log Log, src tables.Source, before ...tables.Neighbour) (*tables.File, error) {
	return r.try(nil, log, src, before)
}

func (r *Reader) try(l *lane, log Log, src tables.Source, before []tables.Neighbour) (*tables.File, error) {
	own := disk{reader: r, lane: l}
	near := neighbourhood{root: log.Root, neighbours: before, disk: disk{reader: r, lane: l}}
	f, err := r.load(near.input(log, &own), src)
	if src.Part != "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, n := range near.neighbours {
		if src.Part == "" || !r.isOwnFile(n.Path, log) {
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
func (u *Unread) Error() string { return diskErrorText(u.Err) }

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
	in.start = &logstart.Watch{}
	in.Open = watching(in.start, in.Open)
	err := r.readSafely(&in)
	if src.Part == "" && src.Stamp == "" {
		f.Beginning = in.start.Mark().String()
	}
	if f.Large {
		FreeMemory()
	}
	return f, err
}

func (r *Reader) readSafely(in *Input) (err error) {
	defer recoverPanic(&err)
	return r.Read(in)
}

// recoverPanic turns a panic of the deferring function into an error.
func recoverPanic(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("reader panicked: %v; please report it: %.600s", p, debug.Stack())
	}
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

// UnsupportedAgent is an agent whose logs hindsql doesn't read. `hindsql sources` names
// the agent if one of its folders exists.
type UnsupportedAgent struct {
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

// Part is one session, or another unit, of a log file with several, for example a
// database. Each part is a separate source, and is read again when its stamp changes.
type Part struct {
	Name  string // not empty; constant while the part exists
	Stamp string // changes whenever the part's rows may change
	Size  int64  // rough bytes; constant while the stamp is
}

// List returns the parts of a log. near holds the files beside the log that a later
// list may depend on, as they were just before. If several parts have one name, the
// first counts. Parts without a name are dropped. The error is a [*Unread] if the list
// may change once the disk can be read.
func (r *Reader) List(log Log) (parts []Part, near []tables.Neighbour, err error) {
	return r.list(nil, log)
}

func (r *Reader) list(l *lane, log Log) (parts []Part, near []tables.Neighbour, err error) {
	own := disk{reader: r, lane: l}
	beside := neighbourhood{root: log.Root, disk: disk{reader: r, lane: l}}
	for _, suffix := range r.Suffixes {
		now, _ := statNeighbour(l, log.Path+suffix)
		now.WasRead = true
		beside.neighbours = append(beside.neighbours, now)
	}
	parts, err = r.ListFrom(beside.input(log, &own))
	if unread := beside.unread(&own, err); unread != nil {
		err = unread
	}
	return parts, beside.neighbours, err
}

// ListFrom is List for an input that may come from elsewhere than a disk.
func (r *Reader) ListFrom(in Input) (parts []Part, err error) {
	defer recoverPanic(&err)
	all, err := r.Parts(&in)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{"": true}
	for _, p := range all {
		if !seen[p.Name] {
			seen[p.Name] = true
			parts = append(parts, p)
		}
	}
	return parts, nil
}

// isOwnFile reports whether a path is one of the log's own files, by a suffix in
// Reader.Suffixes. If such a file changes, the stamps of the parts change, too.
func (r *Reader) isOwnFile(path string, log Log) bool {
	return slices.ContainsFunc(r.Suffixes, func(suffix string) bool { return path == log.Path+suffix })
}
