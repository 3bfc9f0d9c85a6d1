package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/whole"
	"hindsql/readers/sqlite"
)

// wholeFiles makes a log from the log's first events, for agents with logs that aren't
// plain lines.
var wholeFiles = map[string]func(events []string) ([]byte, error){
	"opencode": func(events []string) ([]byte, error) { return sqlite.Make([]byte(strings.Join(events, "\n"))) },
	"vscode": func(events []string) ([]byte, error) {
		return []byte(`{"version":3,"responderUsername":"GitHub Copilot","sessionId":"a0000000-0000-4000-8000-000000000040","requests":[` + strings.Join(events, ",") + "]}"), nil
	},
}

// TestStopsComeAndGo: a failed request is a stop by the system until an answer follows.
// A file in testdata/growing holds a log's name, and below it the log's events. Before
// each event stands the number of stops by then, or a dash if the number isn't checked.
// After every third sync the store equals a new store.
func TestStopsComeAndGo(t *testing.T) {
	whole.Test(t, "loads a store for every third event of eight logs")
	t.Parallel()
	files, err := filepath.Glob("testdata/growing/*.txt")
	must(t, err)
	if len(files) < 7 {
		t.Errorf("only %d agents", len(files))
	}
	for _, file := range files {
		agent := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			must(t, err)
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			h := &home{T: t, Dir: t.TempDir(), Store: filepath.Join(t.TempDir(), "h.duckdb")}
			log := filepath.Join(h.Dir, filepath.FromSlash(lines[0]))
			must(t, os.MkdirAll(filepath.Dir(log), 0o755))
			var events []string
			syncs := 0
			for _, line := range lines[1:] {
				stops, event, _ := strings.Cut(line, " ")
				events = append(events, event)
				if stops == "-" {
					continue
				}
				data := []byte(strings.Join(events, "\n") + "\n")
				if make := wholeFiles[agent]; make != nil {
					data, err = make(events)
					must(t, err)
				}
				must(t, os.WriteFile(log, data, 0o644))
				must(t, touch(log))
				h.Sync()
				h.Want("SELECT count(*) FROM interruptions WHERE type = 'system' AND phase = 'response' AND agent = '"+agent+"'", stops)
				if syncs++; syncs%3 == 0 {
					h.LikeClean()
				}
				if t.Failed() {
					t.Fatalf("after %d events, the last of them %.300s", len(events), event)
				}
			}
		})
	}
}
