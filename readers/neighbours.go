package readers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hindsql/tables"
)

// ReadFileLimit is the largest file in bytes that [Input.ReadFile] reads into memory.
const ReadFileLimit = 64 << 20

// neighbourhood opens and stats files below a log's root for the log's reader. It lists
// these files and folders in neighbours: a change of a listed file counts as a change of
// the log.
type neighbourhood struct {
	root       string
	neighbours []tables.Neighbour
	disk       disk
	failedAt   string // the path that could not be read
}

// input returns the log as an [Input], whose functions are those of n. own reads the
// log itself, and keeps the first failure.
func (n *neighbourhood) input(log Log, own *disk) Input {
	return Input{
		Rel:           log.Rel,
		Open:          func() (io.ReadCloser, error) { return own.openRecorded(log.Path) },
		ReadFile:      n.readFile,
		Exists:        n.exists,
		OpenCompanion: func(suffix string) (io.ReadCloser, error) { return n.openCompanion(log.Path + suffix) },
		OpenUnwatched: n.openUnwatched,

		Names:          n.listFolder,
		NamesUnwatched: n.listUnwatched,
		Watch:          n.watch,

		ModifiedAt: log.ModifiedAt,
		size:       log.Size,
	}
}

// unread returns an [*Unread] if reading the log or a file beside it failed, otherwise
// nil.
func (n *neighbourhood) unread(own *disk, err error) error {
	switch {
	case own.failed != nil:
		return &Unread{Err: own.failed}
	case n.disk.failed != nil:
		return &Unread{n.disk.failed, n.failedAt}
	case errors.As(err, new(*Unread)):
		return err
	}
	return nil
}

// openCompanion opens a file that belongs to the log, for example its -wal. If that
// fails, the log counts as not completely read.
func (n *neighbourhood) openCompanion(path string) (io.ReadCloser, error) {
	if _, err := n.stat(path, true); err != nil {
		n.disk.recordFailure(err)
		return nil, err
	}
	return n.disk.openRecorded(path)
}

func (n *neighbourhood) openUnwatched(rel string) (io.ReadCloser, error) {
	path, ok := n.path(rel)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return n.disk.open(path)
}

// LinesBeside visits the lines of another file below the same root, opened by
// OpenUnwatched. found is false if the path is missing or no regular file. The error is
// an [*Unread].
func (in *Input) LinesBeside(rel string, visit func(Line)) (found bool, err error) {
	f, err := in.OpenUnwatched(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, new(*NotAFile)):
		return false, nil
	case err != nil:
		return false, &Unread{err, rel}
	}
	defer f.Close()
	for line, err := range Lines(f) {
		if err != nil {
			return true, &Unread{err, rel}
		}
		visit(line)
	}
	return true, nil
}

func (n *neighbourhood) watch(rel string) {
	if path, ok := n.path(rel); ok {
		n.stat(path, true) //nolint:errcheck // stat also records a missing file
	}
}

func (n *neighbourhood) readFile(rel string) ([]byte, error) {
	path, ok := n.path(rel)
	if !ok {
		return nil, fs.ErrNotExist
	}
	data, err := n.readWatched(rel, path)
	if isTemporary(err) && n.recordFailure(path, err) {
		return nil, fs.ErrNotExist // the loader of the log reports the failure
	}
	return data, err
}

func (n *neighbourhood) readWatched(rel, path string) ([]byte, error) {
	// stat runs before the read, so the next sync sees a write in between as a change.
	now, err := n.stat(path, true)
	if err != nil {
		return nil, err
	}
	if now.Size > ReadFileLimit {
		return nil, &tooLarge{rel, now.Size}
	}
	f, err := n.disk.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, ReadFileLimit+1)) // the file may grow
}

// recordFailure records an error of a file beside the log, if the file may be readable
// later. It returns false, and records nothing, if the file isn't regular or is too
// large.
func (n *neighbourhood) recordFailure(path string, err error) bool {
	if errors.As(err, new(*NotAFile)) || errors.As(err, new(*tooLarge)) {
		return false
	}
	if n.disk.failed == nil {
		n.failedAt = path
	}
	n.disk.recordFailure(err)
	return true
}

// tooLarge is the error for a file larger than ReadFileLimit.
type tooLarge struct {
	rel  string
	size int64
}

func (t *tooLarge) Error() string {
	return fmt.Sprintf("%s: %d bytes, more than the %d that are read; left out", t.rel, t.size, ReadFileLimit)
}

func (n *neighbourhood) exists(rel string) bool {
	path, ok := n.path(rel)
	if !ok {
		return false
	}
	_, err := n.stat(path, false)
	if isTemporary(err) {
		n.recordFailure(path, err)
	}
	return err == nil
}

// listFolder lists a folder below the root. It records the folder as a file that was
// read: if a name is added, removed or changed later, the folder's time changes, and
// with it the log.
func (n *neighbourhood) listFolder(rel string) ([]string, error) {
	path, ok := n.path(rel)
	if !ok {
		return nil, nil
	}
	_, err := n.stat(path, true)
	if err == nil {
		var names []string
		if names, err = namesIn(n.disk.lane, path); err == nil {
			return names, nil
		}
	}
	if isTemporary(err) {
		n.recordFailure(path, err)
	}
	return nil, IgnoreNotExist(err)
}

// listUnwatched lists a folder as listFolder does, but doesn't record it.
func (n *neighbourhood) listUnwatched(rel string) ([]string, error) {
	path, ok := n.path(rel)
	if !ok {
		return nil, nil
	}
	names, err := namesIn(n.disk.lane, path)
	return names, IgnoreNotExist(err)
}

// namesIn returns the sorted names in a folder.
func namesIn(l *lane, path string) (names []string, err error) {
	if err := l.beginCall(path); err != nil {
		return nil, err
	}
	defer l.endCall()
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for err == nil && l.step() {
		var some []string
		some, err = f.Readdirnames(namesAtOnce)
		names = append(names, some...)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.Sort(names)
	return names, err
}

// IgnoreNotExist returns the error, or nil if the error says that a file or folder doesn't
// exist.
func IgnoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (n *neighbourhood) path(rel string) (path string, ok bool) {
	rel = filepath.FromSlash(rel)
	return filepath.Join(n.root, rel), filepath.IsLocal(rel)
}

// stat stats a path and adds the result to neighbours. read says whether the file is also
// read.
func (n *neighbourhood) stat(path string, read bool) (tables.Neighbour, error) {
	now, err := statNeighbour(n.disk.lane, path)
	now.WasRead = read
	n.neighbours = append(n.neighbours, now)
	return now, err
}

// statNeighbour stats a path. A path counts as missing until stat succeeds.
func statNeighbour(l *lane, path string) (tables.Neighbour, error) {
	info, err := call(l, path, os.Stat)
	if err != nil {
		return tables.Neighbour{Path: path}, err
	}
	return tables.Neighbour{Path: path, Exists: true, Size: info.Size(), ModifiedAt: info.ModTime()}, nil
}
