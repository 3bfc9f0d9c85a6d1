package qwen

import (
	"crypto/sha256"
	"encoding/hex"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// readUsage reads the list of ended sessions. It names the projects whose hashes are
// folders below tmp/ (FORMAT.md §1). Its tokens stand in the sessions, too.
func readUsage(in *readers.Input) error {
	kinds, told := readers.NewKinds(in), map[string]bool{}
	err := readers.JSONLines(in, []string{`{"version":`}, func(v *fastjson.Value, _ readers.Line) {
		known := v.Exists("sessionId")
		kinds.Record(v, "usage", known, "", readers.Millis(v.GetInt64("timestamp")))
		if project := readers.Text(v, "project"); known && project != "" && !told[project] {
			told[project] = true
			in.Emit(&tables.ProjectNote{Key: hashOf(project), Project: readers.Folder(project)})
		}
	})
	kinds.Emit(in.Emit)
	return err
}

// hashOf returns the name of a project's folder below tmp/ (FORMAT.md §1).
func hashOf(project string) string {
	sum := sha256.Sum256([]byte(project))
	return hex.EncodeToString(sum[:])
}
