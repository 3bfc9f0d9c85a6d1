package neovate

import (
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// noList: data.json is one object, without a list of records.
const noList = "(no list)"

var dataKeys = readers.SetOf(`projects recentModels`)

// readData reads data.json: each project's typed prompts, newest last, without times
// and sessions (FORMAT.md §1.2).
func readData(in *readers.Input) error {
	kinds := readers.Kinds{}
	err := readers.Document(in, noList, func(v *fastjson.Value, _ []byte) {
		v.GetObject().Visit(func(key []byte, _ *fastjson.Value) {
			kinds.Count("data/"+string(key), dataKeys[string(key)], "", time.Time{})
		})
		for _, p := range projectsIn(v) {
			in.Emit(&tables.ProjectNote{Key: slugOf(p.path), Project: p.path})
			for _, text := range p.history {
				kinds.Count("prompt", true, "", time.Time{})
				in.Emit(&tables.Prompt{Project: p.path, Text: text, IsCommand: isCommand(text)})
			}
			p.clears(in.Emit)
		}
	}, func(*fastjson.Value) {})
	kinds.Emit(in.Emit)
	return err
}

// isCommand reports whether a text is a command, such as /compact or !ls.
func isCommand(text string) bool { return readers.IsCommand(text) || strings.HasPrefix(text, "!") }

// project is a working directory and its typed history.
type project struct {
	path    string
	history []string
}

// clears emits the project's clears. Only the typed history records a /clear. The next
// prompt in the history is the first one of the new session.
func (p *project) clears(emit func(tables.Event)) {
	cleared, told := false, map[string]bool{}
	for _, text := range p.history {
		if cleared && !told[text] && !readers.IsCommand(text) {
			told[text] = true
			emit(&tables.Clear{
				NextPrompt: text,
				Trigger:    tables.ClearByCommand,
				Command:    "/clear",
				Project:    p.path,
				Evidence:   tables.EvidenceInferred,
				Confidence: 0.6,
			})
		}
		cleared = text == "/clear" || cleared && readers.IsCommand(text)
	}
}

func projectsIn(data *fastjson.Value) []project {
	var list []project
	data.GetObject("projects").Visit(func(key []byte, v *fastjson.Value) {
		p := project{path: string(key)}
		for _, text := range v.GetArray("history") {
			if text.Type() == fastjson.TypeString {
				p.history = append(p.history, readers.Text(text))
			}
		}
		list = append(list, p)
	})
	return list
}

var notInSlug = pattern.Lazy(`[^a-zA-Z0-9]+`)

// slugOf returns the name of a project's folder of sessions (FORMAT.md §1.1).
func slugOf(path string) string {
	return strings.ToLower(strings.Trim(notInSlug.ReplaceAllString(path, "-"), "-"))
}
