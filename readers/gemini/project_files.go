package gemini

import (
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// projectsFile names every project: its path, and its folder's name (FORMAT.md §1.1).
const projectsFile = "projects.json"

// readProjects reads projects.json. A folder or session names its project by the short
// name, or in older versions by the hash of the path.
func readProjects(in *readers.Input) error {
	kinds := readers.Kinds{}
	err := readers.WholeDocument(in, func(v *fastjson.Value) {
		v.GetObject().Visit(func(key []byte, _ *fastjson.Value) {
			kinds.Count("projects.json/"+string(key), string(key) == "projects", "", time.Time{})
		})
		v.GetObject("projects").Visit(func(key []byte, name *fastjson.Value) {
			project := string(key)
			if name := readers.Text(name); name != "" {
				in.Emit(&tables.ProjectNote{Key: name, Project: project})
			}
			in.Emit(&tables.ProjectNote{Key: readers.Hash(project), Project: project})
		})
	})
	kinds.Emit(in.Emit)
	return err
}

// projectOf returns the project's working directory (FORMAT.md §1.1): the path in the
// file .project_root of the project's folder. Without that file, it returns the keys to
// look up in projects.json: the folder's name and the session's hash. project is then
// only a fallback: one of the session's directories with that hash, or empty.
func projectOf(in *readers.Input, at place, hash string, directories []string) (project string, keys []string) {
	if root, err := in.ReadFile(path.Join(at.folder, ".project_root")); err == nil {
		if root := strings.TrimSpace(string(root)); root != "" {
			return root, nil
		}
	}
	name := path.Base(at.folder)
	keys = []string{name}
	if hash != "" && hash != name {
		keys = append(keys, hash)
	}
	for _, d := range directories {
		if sum := readers.Hash(d); sum == hash || sum == name {
			return d, keys
		}
	}
	return "", keys
}

// promptsFile is logs.json, which holds every interactive input (FORMAT.md §5).
type promptsFile struct {
	in      *readers.Input
	kinds   readers.Kinds
	project string
	moved   map[string]bool          // ids under which the log goes on although another session began
	cleared map[string]*tables.Clear // last clear under such an id, until a prompt begins the next session
}

func readPrompts(in *readers.Input, at place) error {
	p := &promptsFile{in: in, kinds: readers.NewKinds(in), moved: map[string]bool{}, cleared: map[string]*tables.Clear{}}
	var keys []string
	if p.project, keys = projectOf(in, at, "", nil); keys != nil {
		in.Emit(&tables.FileProject{Project: p.project, Keys: keys})
	}
	err := readers.Document(in, "", func(*fastjson.Value, []byte) {}, p.handleInput)
	p.kinds.Emit(in.Emit)
	return err
}

func (p *promptsFile) handleInput(v *fastjson.Value) {
	at := readers.Time(v.Get("timestamp"))
	if !readers.Is(v.Get("message"), fastjson.TypeString) {
		p.kinds.Count("prompt (no message)", false, "", at)
		return
	}
	p.kinds.Record(v, "prompt", true, "", at)
	e := &tables.Prompt{
		SessionID: readers.Text(v, "sessionId"),
		Project:   p.project,
		Text:      readers.Text(v, "message"),
		Timestamp: at,
	}
	e.IsCommand = readers.IsCommand(e.Text)
	p.in.Emit(e)
	if c := p.cleared[e.SessionID]; c != nil && !e.IsCommand {
		c.NextPrompt = e.Text // typed in the same process, whose next session has another id
		delete(p.cleared, e.SessionID)
	}
	p.handleClear(e)
}

// handleClear handles a /clear. The log keeps the process's first id. So only the first
// clear of a process names the session that it ended, and only if no other session was
// resumed before. That the process went on to another session is a trace of its own, for
// later inputs and clears.
func (p *promptsFile) handleClear(e *tables.Prompt) {
	command, rest, _ := strings.Cut(strings.TrimSpace(e.Text), " ")
	switch {
	case command == "/resume" && strings.TrimSpace(rest) == "":
		p.moved[e.SessionID] = true
		p.emitLeft(e)
	case command == "/clear" || command == "/new":
		c := readers.HistoryClear(e, command)
		if p.moved[e.SessionID] {
			c.SessionID = ""
		}
		p.moved[e.SessionID], p.cleared[e.SessionID] = true, c
		p.in.Emit(c)
		p.emitLeft(e)
	}
}

// emitLeft emits that a process went on to another session, which the log doesn't name.
func (p *promptsFile) emitLeft(e *tables.Prompt) {
	if e.SessionID != "" {
		p.in.Emit(&tables.Clear{SessionID: e.SessionID, Project: e.Project, Timestamp: e.Timestamp, Evidence: tables.EvidenceProcess, Confidence: 1})
	}
}
