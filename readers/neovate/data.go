package neovate

import (
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// noList: data.json is one object, without a list of records.
const noList = "(no list)"

var dataKeys = readers.SetOf(`projects recentModels`)

// readData reads data.json: what was typed in each project, newest last,
// without times and sessions (FORMAT.md §1.2).
func readData(in *readers.Input) error {
	kinds := readers.Kinds{}
	err := readers.Document(in, noList, func(v *fastjson.Value, _ []byte) {
		v.GetObject().Visit(func(key []byte, _ *fastjson.Value) {
			kinds.Count("data/"+string(key), dataKeys[string(key)], "", time.Time{})
		})
		for _, p := range projectsIn(v) {
			for _, text := range p.history {
				kinds.Count("prompt", true, "", time.Time{})
				in.Emit(&tables.Prompt{Project: p.path, Text: text, IsCommand: isCommand(text)})
			}
		}
	}, func(*fastjson.Value) {})
	kinds.Emit(in.Emit)
	return err
}

// isCommand tells of /compact and !ls.
func isCommand(text string) bool { return readers.IsCommand(text) || strings.HasPrefix(text, "!") }

// project is a working directory and what was typed there.
type project struct {
	path    string
	history []string
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

// projectsOf are the projects of data.json whose slug a folder has: one, but
// for paths that differ in what a slug leaves out.
func projectsOf(in *readers.Input, folder string) ([]project, error) {
	data, err := in.Beside(dataFile)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	v, err := fastjson.ParseBytes(data)
	if err != nil {
		return nil, nil // told where data.json itself is read
	}
	var same []project
	for _, p := range projectsIn(v) {
		if slugOf(p.path) == folder {
			same = append(same, p)
		}
	}
	return same, nil
}

var notInSlug = regexp.MustCompile(`[^a-zA-Z0-9]+`)

// slugOf is the name of the folder that holds a project's sessions (FORMAT.md §1.1).
func slugOf(path string) string {
	return strings.ToLower(strings.Trim(notInSlug.ReplaceAllString(path, "-"), "-"))
}
