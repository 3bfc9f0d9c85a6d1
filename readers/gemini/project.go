package gemini

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// projectsFile names every project: its path, and its folder's name (FORMAT.md §1.1).
const projectsFile = "projects.json"

// noList: projects.json is one object, without a list of records.
const noList = "(no list)"

// readProjects reads projects.json. A folder or session names its project by the short
// name, or in older versions by the hash of the path.
func readProjects(in *readers.Input) error {
	kinds := readers.Kinds{}
	err := readers.Document(in, noList, func(v *fastjson.Value, _ []byte) {
		v.GetObject().Visit(func(key []byte, _ *fastjson.Value) {
			kinds.Count("projects.json/"+string(key), string(key) == "projects", "", time.Time{})
		})
		v.GetObject("projects").Visit(func(key []byte, name *fastjson.Value) {
			project := string(key)
			if name := readers.Text(name); name != "" {
				in.Emit(&tables.ProjectNote{Key: name, Project: project})
			}
			in.Emit(&tables.ProjectNote{Key: hashOf(project), Project: project})
		})
	}, func(*fastjson.Value) {})
	kinds.Emit(in.Emit)
	return err
}

// projectOf returns the project's working directory (FORMAT.md §1.1): the path in the
// file .project_root of the project's folder. Without that file, it returns the keys to
// look up in projects.json: the folder's name and the session's hash. project is then
// only a fallback: one of the session's directories with that hash, or empty.
func projectOf(in *readers.Input, at place, hash string, directories []string) (project string, keys []string) {
	if root, err := in.Beside(path.Join(at.folder, ".project_root")); err == nil {
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
		if sum := hashOf(d); sum == hash || sum == name {
			return d, keys
		}
	}
	return "", keys
}

func hashOf(project string) string {
	sum := sha256.Sum256([]byte(project))
	return hex.EncodeToString(sum[:])
}
