package opencode

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// fileLimit is the largest file of the tree that is read, in bytes.
const fileLimit = readers.ReadFileLimit

// tree is a session in the tree of JSON files (FORMAT.md §1). The session, each message
// and each part is a file of its own.
type tree struct {
	*stored
	in      *readers.Input
	project string // folder of the session's project
	moments map[string]moment
	parser  fastjson.Parser
}

func readTree(in *readers.Input, database string) error {
	t := &tree{in: in, moments: map[string]moment{}, project: path.Dir(in.Rel)}
	t.stored = &stored{id: strings.TrimSuffix(path.Base(in.Rel), extension)}
	kinds := readers.NewKinds(in)
	err := readers.WholeDocument(in, func(v *fastjson.Value) {
		t.readSession(v)
		kinds.Record(v, "session", true, t.version, readers.Millis(t.created))
	})
	if err != nil {
		return err
	}
	if held, err := isInDatabase(in, database, t.id); held || err != nil {
		kinds.Emit(in.Emit)
		return err // the database has the whole session and continues it
	}
	if t.directory == "" {
		t.folder = t.readWorktree()
	}
	if err := t.read(); err != nil {
		return err
	}
	emitSession(in, kinds, t.stored)
	return nil
}

// readWorktree returns the folder of the session's project, or the empty string. The
// project's file has the name of the sessions' folder.
func (t *tree) readWorktree() string {
	data, err := t.in.ReadFile("storage/project/" + path.Base(t.project) + extension)
	if err != nil {
		return ""
	}
	v, err := t.parser.ParseBytes(data)
	if err != nil {
		return ""
	}
	return readers.Text(v, "worktree")
}

// readSession reads the session's own file.
func (t *tree) readSession(v *fastjson.Value) {
	s := t.stored
	s.parent, s.directory = readers.Text(v, "parentID"), readers.Text(v, "directory")
	s.title, s.version = readers.Text(v, "title"), readers.Text(v, "version")
	s.created, s.archived = readers.Int(v, "time", "created").Value, readers.Int(v, "time", "archived").Value
	if revert := v.Get("revert"); revert != nil {
		s.revert = readers.JSON(revert)
	}
}

// read reads the messages. It has the sync watch the list of messages, because
// more may come, and only those files that are unfinished. To watch every file, each
// sync would have to look at thousands.
func (t *tree) read() error {
	folder := "storage/message/" + t.id
	names, err := t.in.Names(folder)
	if err != nil {
		return err
	}
	for _, id := range objectIDs(names) {
		if err := t.readMessage(id, folder+"/"+id+extension); err != nil {
			return err
		}
	}
	slices.SortStableFunc(t.messages, func(a, b *storedMessage) int {
		return cmp.Or(cmp.Compare(a.created, b.created), strings.Compare(a.id, b.id))
	})
	for i, m := range t.messages {
		if err := t.readParts(m, i == len(t.messages)-1); err != nil {
			return err
		}
	}
	return t.findOrigin()
}

// extension ends the name of an object's file, after the object's id.
const extension = ".json"

// objectIDs returns the ids of the objects with these file names, in order.
func objectIDs(names []string) (ids []string) {
	for _, name := range names {
		if id, is := strings.CutSuffix(name, extension); is {
			ids = append(ids, id)
		}
	}
	return ids
}

// readMessage reads a message's file. It watches the file if the answer is incomplete.
func (t *tree) readMessage(id, rel string) error {
	m := &storedMessage{id: id}
	data, err := t.readUnwatched(rel)
	if err != nil || data == nil {
		return err
	}
	at, complete := t.parseMoment(data)
	if !complete {
		if data, err = t.in.ReadFile(rel); err != nil {
			return readers.IgnoreNotExist(err)
		}
		at, _ = t.parseMoment(data)
	}
	m.data, m.created = data, at.created
	t.moments[id] = at
	t.messages = append(t.messages, m)
	return nil
}

// parseMoment returns a message's moment (role and time), and whether the message is
// complete and won't change.
func (t *tree) parseMoment(data []byte) (at moment, complete bool) {
	v, err := t.parser.ParseBytes(data)
	if err != nil {
		return moment{}, false
	}
	created, role := readers.Int(v, "time", "created").Value, readers.Text(v, "role")
	if readers.Millis(created).IsZero() {
		created = 0
	}
	return moment{role, created}, role == tables.RoleUser || readers.Int(v, "time", "completed").OK
}

// readParts reads the parts of a message. The last message, and an incomplete one, may
// get more parts.
func (t *tree) readParts(m *storedMessage, last bool) error {
	_, complete := t.parseMoment(m.data)
	folder := "storage/part/" + m.id
	list := t.in.NamesUnwatched
	if last || !complete {
		list = t.in.Names
	}
	names, err := list(folder)
	if len(names) == 0 && err == nil {
		names, err = t.in.Names(folder)
	}
	if err != nil {
		t.in.Emit(&tables.Problem{What: "parts of message " + m.id + ": " + err.Error()})
		return nil //nolint:nilerr // the other messages stay
	}
	for _, id := range objectIDs(names) {
		data, err := t.readPart(folder+"/"+id+extension, complete)
		if err != nil {
			return err
		}
		if data != nil {
			m.parts = append(m.parts, &storedPart{id, data})
		}
	}
	return nil
}

// readPart reads a part. It watches a part that may still change.
func (t *tree) readPart(rel string, complete bool) ([]byte, error) {
	data, err := t.readUnwatched(rel)
	if err != nil || data == nil || complete || !t.isUnfinished(data) {
		return data, err
	}
	data, err = t.in.ReadFile(rel)
	return data, readers.IgnoreNotExist(err)
}

// isUnfinished reports whether a part of an incomplete message may change: a call without
// an end, or a text being written.
func (t *tree) isUnfinished(data []byte) bool {
	v, err := t.parser.ParseBytes(data)
	if err != nil {
		return true
	}
	switch readers.Text(v, "type") {
	case "tool":
		return !v.Exists("state", "time", "end")
	case "text", "reasoning":
		return !v.Exists("time", "end")
	}
	return false
}

// readUnwatched reads a file that won't change, without telling the sync to watch it. It
// returns nil for a deleted file.
func (t *tree) readUnwatched(rel string) ([]byte, error) {
	f, err := t.in.OpenUnwatched(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.As(err, new(*readers.NotAFile)):
		t.in.Emit(&tables.Problem{What: err.Error()})
		return nil, nil
	case err != nil:
		return nil, &readers.Unread{Err: err, Beside: rel}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, fileLimit+1))
	if err != nil {
		return nil, &readers.Unread{Err: err, Beside: rel}
	}
	if len(data) > fileLimit {
		t.in.Emit(&tables.Problem{What: fmt.Sprintf("%s: more than %d bytes, which is not read", rel, fileLimit)})
		return nil, nil
	}
	return data, nil
}

// findOrigin finds the session of the same project that a fork was copied from. It
// doesn't watch the other sessions: their later changes don't matter to this log.
func (t *tree) findOrigin() error {
	early := t.earlyMoments(t.moments)
	if len(early) == 0 {
		return nil
	}
	names, err := t.in.NamesUnwatched(t.project)
	if err != nil {
		return err
	}
	var from []candidate
	for _, id := range objectIDs(names) {
		if id == t.id {
			continue
		}
		o, err := t.readCandidate(id, early)
		if err != nil {
			return err
		}
		if len(o.messages) > 0 && len(from) < maxOrigins {
			from = append(from, o)
		}
	}
	t.setOrigin(t.moments, from)
	return nil
}

// readCandidate returns a session with the messages that have one of the early moments.
// The result is empty if the session is newer than this one, or in another folder. A
// message's id has its time, so readCandidate reads only matching files. In a fork, the
// copies have new ids, so it reads all messages.
func (t *tree) readCandidate(id string, early []moment) (o candidate, err error) {
	names, err := t.in.NamesUnwatched("storage/message/" + id)
	if err != nil {
		return o, err
	}
	data, err := t.readUnwatched(t.project + "/" + id + extension)
	if err != nil || data == nil {
		return o, err
	}
	v, err := t.parser.ParseBytes(data)
	if err != nil {
		return o, nil //nolint:nilerr // reading the file as a log reports the error
	}
	o = candidate{id: id, title: readers.Text(v, "title"), created: readers.Int(v, "time", "created").Value, messages: map[moment]string{}}
	if readers.Text(v, "directory") != t.directory || o.created > t.created {
		return candidate{}, nil
	}
	isFork, wanted := forkNumber.MatchString(o.title), map[moment]bool{}
	for _, at := range early {
		wanted[at] = true
	}
	for _, name := range names {
		if !isFork && !isNear(name, early) {
			continue
		}
		data, err := t.readUnwatched("storage/message/" + id + "/" + name)
		if err != nil {
			return o, err
		}
		if at, _ := t.parseMoment(data); wanted[at] {
			o.messages[at] = strings.TrimSuffix(name, extension)
		}
	}
	return o, nil
}

// maxClockGap is how many ms a message's time may differ from the time in its id. 1 was
// seen.
const maxClockGap = 2000

// isNear reports whether the id at the start of a name has about the time of the
// moments. After msg_ come 36 bits of the time in ms, in hex.
func isNear(name string, early []moment) bool {
	digits := strings.TrimPrefix(name, "msg_")
	at, err := strconv.ParseInt(digits[:min(len(digits), 9)], 16, 64)
	first, last := early[0].created, early[len(early)-1].created
	return err == nil && (at-(first-maxClockGap))&(1<<36-1) <= last-first+2*maxClockGap
}
