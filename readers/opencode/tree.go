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

// noList is a key that no file has: a session's file is one object without a list of
// records.
const noList = "(no list)"

// fileLimit is the largest file of the tree that is read, in bytes.
const fileLimit = readers.BesideLimit

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
	err := readers.Document(in, noList, func(v *fastjson.Value, _ []byte) {
		t.facts(v)
		kinds.Record(v, "session", true, t.version, readers.Millis(t.created))
	}, func(*fastjson.Value) {})
	if err != nil {
		return err
	}
	if held, err := inDatabase(in, database, t.id); held || err != nil {
		kinds.Emit(in.Emit)
		return err // the database has the whole session and continues it
	}
	if t.directory == "" {
		t.folder = t.worktree()
	}
	if err := t.read(); err != nil {
		return err
	}
	tell(in, kinds, t.stored)
	return nil
}

// worktree returns the folder of the session's project, or the empty string. The
// project's file has the name of the sessions' folder.
func (t *tree) worktree() string {
	data, err := t.in.Beside("storage/project/" + path.Base(t.project) + extension)
	if err != nil {
		return ""
	}
	v, err := t.parser.ParseBytes(data)
	if err != nil {
		return ""
	}
	return readers.Text(v, "worktree")
}

// facts reads the session's own file.
func (t *tree) facts(v *fastjson.Value) {
	s := t.stored
	s.parent, s.directory = readers.Text(v, "parentID"), readers.Text(v, "directory")
	s.title, s.version = readers.Text(v, "title"), readers.Text(v, "version")
	s.created, s.archived = readers.Int(v, "time", "created").Value, readers.Int(v, "time", "archived").Value
	if revert := v.Get("revert"); revert != nil {
		s.revert = readers.JSON(revert)
	}
}

// read reads the messages. It tells the sync to watch the list of messages, because
// more may come, and only those files that are unfinished. To watch every file, each
// sync would have to look at thousands.
func (t *tree) read() error {
	folder := "storage/message/" + t.id
	names, err := t.in.Names(folder)
	if err != nil {
		return err
	}
	for _, id := range objects(names) {
		if err := t.message(id, folder+"/"+id+extension); err != nil {
			return err
		}
	}
	slices.SortStableFunc(t.messages, func(a, b *storedMessage) int {
		return cmp.Or(cmp.Compare(a.created, b.created), strings.Compare(a.id, b.id))
	})
	for i, m := range t.messages {
		if err := t.parts(m, i == len(t.messages)-1); err != nil {
			return err
		}
	}
	return t.origin()
}

// extension ends the name of an object's file, after the object's id.
const extension = ".json"

// objects returns the ids of the objects with these file names, in order.
func objects(names []string) (ids []string) {
	for _, name := range names {
		if id, is := strings.CutSuffix(name, extension); is {
			ids = append(ids, id)
		}
	}
	return ids
}

// message reads a message's file. It notes the file if the answer is incomplete.
func (t *tree) message(id, rel string) error {
	m := &storedMessage{id: id}
	data, err := t.aside(rel)
	if err != nil || data == nil {
		return err
	}
	at, complete := t.look(data)
	if !complete {
		if data, err = t.in.Beside(rel); err != nil {
			return leaving(err)
		}
		at, _ = t.look(data)
	}
	m.data, m.created = data, at.created
	t.moments[id] = at
	t.messages = append(t.messages, m)
	return nil
}

// look returns a message's moment (role and time), and whether the message is complete
// and won't change.
func (t *tree) look(data []byte) (at moment, complete bool) {
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

// parts reads the parts of a message. The last message, and an incomplete one, may get
// more parts.
func (t *tree) parts(m *storedMessage, last bool) error {
	_, complete := t.look(m.data)
	folder := "storage/part/" + m.id
	list := t.in.NamesAside
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
	for _, id := range objects(names) {
		data, err := t.partData(folder+"/"+id+extension, complete)
		if err != nil {
			return err
		}
		if data != nil {
			m.parts = append(m.parts, &storedPart{id, data})
		}
	}
	return nil
}

// partData reads a part. It notes a part that may still change.
func (t *tree) partData(rel string, complete bool) ([]byte, error) {
	data, err := t.aside(rel)
	if err != nil || data == nil || complete || !t.unfinished(data) {
		return data, err
	}
	data, err = t.in.Beside(rel)
	return data, leaving(err)
}

// unfinished reports whether a part of an incomplete message may change: a call without
// an end, or a text being written.
func (t *tree) unfinished(data []byte) bool {
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

// aside reads a file that won't change, without telling the sync to watch it. It
// returns nil for a deleted file.
func (t *tree) aside(rel string) ([]byte, error) {
	f, err := t.in.Aside(rel)
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

// leaving returns err, or nil if err says that the file doesn't exist.
func leaving(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// origin finds the session of the same project that a fork was copied from. It doesn't
// watch the other sessions: their later changes don't matter to this log.
func (t *tree) origin() error {
	early := t.early(t.moments)
	if len(early) == 0 {
		return nil
	}
	names, err := t.in.NamesAside(t.project)
	if err != nil {
		return err
	}
	var from []older
	for _, id := range objects(names) {
		if id == t.id {
			continue
		}
		o, err := t.older(id, early)
		if err != nil {
			return err
		}
		if len(o.messages) > 0 && len(from) < mostOrigins {
			from = append(from, o)
		}
	}
	t.forked(t.moments, from)
	return nil
}

// older returns a session with the messages that have one of the early moments. The
// result is empty if the session is newer than this one, or in another folder. A
// message's id tells its time, so older reads only matching files. In a fork, the
// copies have new ids, so it reads all messages.
func (t *tree) older(id string, early []moment) (o older, err error) {
	names, err := t.in.NamesAside("storage/message/" + id)
	if err != nil {
		return o, err
	}
	data, err := t.aside(t.project + "/" + id + extension)
	if err != nil || data == nil {
		return o, err
	}
	v, err := t.parser.ParseBytes(data)
	if err != nil {
		return o, nil //nolint:nilerr // reading the file as a log reports the error
	}
	o = older{id: id, title: readers.Text(v, "title"), created: readers.Int(v, "time", "created").Value, messages: map[moment]string{}}
	if readers.Text(v, "directory") != t.directory || o.created > t.created {
		return older{}, nil
	}
	isFork, wanted := forkNumber.MatchString(o.title), map[moment]bool{}
	for _, at := range early {
		wanted[at] = true
	}
	for _, name := range names {
		if !isFork && !isNear(name, early) {
			continue
		}
		data, err := t.aside("storage/message/" + id + "/" + name)
		if err != nil {
			return o, err
		}
		if at, _ := t.look(data); wanted[at] {
			o.messages[at] = strings.TrimSuffix(name, extension)
		}
	}
	return o, nil
}

// near is how many ms a message's time may differ from the time in its id. 1 was seen.
const near = 2000

// isNear reports whether the id at the start of a name has about the time of the
// moments. After msg_ come 36 bits of the time in ms, in hex.
func isNear(name string, early []moment) bool {
	digits := strings.TrimPrefix(name, "msg_")
	at, err := strconv.ParseInt(digits[:min(len(digits), 9)], 16, 64)
	first, last := early[0].created, early[len(early)-1].created
	return err == nil && (at-(first-near))&(1<<36-1) <= last-first+2*near
}
