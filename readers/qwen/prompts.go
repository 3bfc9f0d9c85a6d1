package qwen

import (
	"path"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// history reads logs.json: every prompt and command typed in a folder (FORMAT.md §6.2).
type history struct {
	in      *readers.Input
	kinds   readers.Kinds
	seen    map[string]bool // session ids met
	stale   map[string]bool // ids under which the log goes on although another session began
	cleared *tables.Clear   // last clear, until an input tells of the next session
	opened  *tables.Clear   // last clear with a next session, until a prompt is typed in that session

	clearedBy string // id on the line of cleared
	ended     string // id on the line of the last clear of all
}

// readPrompts reads logs.json. Its folder's name is a hash of the project. The list of
// ended sessions names the project, and so does the file of a session that was cleared.
func readPrompts(in *readers.Input, at place) error {
	h := &history{in: in, kinds: readers.NewKinds(in), seen: map[string]bool{}, stale: map[string]bool{}}
	err := readers.Document(in, "", func(*fastjson.Value, []byte) {}, h.handleInput)
	hash := path.Base(at.folder)
	project := &tables.FileProject{Keys: []string{hash}}
	if h.ended != "" {
		project.Project = h.projectOf(h.ended, hash)
	}
	in.Emit(project)
	h.kinds.Emit(in.Emit)
	return err
}

// projectOf returns the directory in the file of a session, if it has the hash; empty if
// no file tells it. Only clears need the directory, so few histories look for it.
func (h *history) projectOf(session, hash string) string {
	folders, _ := h.in.NamesUnwatched("projects") // a failure is the loader's to report
	for _, folder := range folders {
		if directory := h.directoryIn("projects/" + folder + "/chats/" + session + ".jsonl"); directory != "" && readers.Hash(directory) == hash {
			return readers.Folder(directory)
		}
	}
	return ""
}

// directoryIn returns the directory in the first line of a session's file; empty if there
// is none.
func (h *history) directoryIn(rel string) string {
	f, err := h.in.OpenUnwatched(rel)
	if err != nil {
		return ""
	}
	defer f.Close()
	for line, err := range readers.Lines(f) {
		v, bad := fastjson.ParseBytes(line.Bytes)
		if err != nil || bad != nil {
			return ""
		}
		return readers.Text(v, "cwd")
	}
	return ""
}

func (h *history) handleInput(v *fastjson.Value) {
	at := readers.Time(v.Get("timestamp"))
	text := v.Get("message")
	if text == nil || text.Type() != fastjson.TypeString {
		h.kinds.Count("prompt (no message)", false, "", at)
		return
	}
	h.kinds.Record(v, "prompt", true, "", at)
	p := &tables.Prompt{SessionID: readers.Text(v, "sessionId"), Text: readers.Text(text), Timestamp: at}
	p.IsCommand = readers.IsCommand(p.Text)
	h.in.Emit(p)
	h.handleClear(p)
}

// handleClear handles a clear. Its line has the ended session's id. What follows has
// the id of the session that the clear opened, or still the old id: then only the next
// prompt's text names the session opened, and the next clear doesn't name the session
// that it ended. A known id belongs to another terminal (FORMAT.md §6.2).
func (h *history) handleClear(p *tables.Prompt) {
	isNew := p.SessionID != "" && !h.seen[p.SessionID]
	h.seen[p.SessionID] = true
	switch c := h.cleared; {
	case c != nil && isNew:
		c.NextSessionID = p.SessionID
		h.cleared, h.opened, h.stale[h.clearedBy] = nil, c, false
	case c != nil && p.SessionID == h.clearedBy && !p.IsCommand:
		c.NextPrompt, h.cleared = p.Text, nil
	}
	if c := h.opened; c != nil && c.NextSessionID == p.SessionID && !p.IsCommand {
		c.NextPrompt, h.opened = p.Text, nil
	}
	command, _, _ := strings.Cut(strings.TrimSpace(p.Text), " ")
	if !clears[command] {
		return
	}
	c := readers.HistoryClear(p, command)
	if h.stale[p.SessionID] {
		c.SessionID = ""
	}
	h.cleared, h.clearedBy, h.ended, h.stale[p.SessionID] = c, p.SessionID, p.SessionID, true
	h.in.Emit(c)
}

var clears = readers.SetOf(`/clear /new /reset`)

// readUsage reads the list of ended sessions. It names the projects whose hashes are
// folders below tmp/ (FORMAT.md §1). Its tokens stand in the sessions, too.
func readUsage(in *readers.Input) error {
	kinds, told := readers.NewKinds(in), map[string]bool{}
	err := readers.JSONLines(in, []string{`{"version":`}, func(v *fastjson.Value, _ readers.Line) {
		known := v.Exists("sessionId")
		kinds.Record(v, "usage", known, "", readers.Millis(v.GetInt64("timestamp")))
		if project := readers.Text(v, "project"); known && project != "" && !told[project] {
			told[project] = true
			in.Emit(&tables.ProjectNote{Key: readers.Hash(project), Project: readers.Folder(project)})
		}
	})
	kinds.Emit(in.Emit)
	return err
}
