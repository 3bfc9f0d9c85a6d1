package readers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSurvey: a survey names what lies in folders of logs and isn't read, once a pattern,
// and a search does not.
func TestSurvey(t *testing.T) {
	root := t.TempDir()
	for _, rel := range []string{
		"logs/-p/a.jsonl", "logs/-p/old-1.json", "logs/-p/old-2.json", "logs/-q/old-3.json", "logs/-p/index.json", "logs/-p/notes.txt", "logs/-p/kept/x.json",
		"logs/-p/saved-a.json", "logs/-q/saved-b.json", "logs/-q/new/2026-01-02T03-04-beef.db", "beside/old-4.json",
	} {
		path := filepath.Join(root, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := &Reader{
		Agent: "toy", Under: []string{"logs"}, IsLog: func(rel string) bool { return strings.HasSuffix(rel, ".jsonl") },
		Unread: "saved-*.json", Companions: "index.json kept/",
	}
	var dog *Watchdog
	logs, unread, err := dog.Survey(r, []Place{{Path: root}})
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v, %d logs", err, len(logs))
	}
	var got []string
	for _, u := range unread {
		got = append(got, fmt.Sprint(u.Pattern, " ", u.Files, " ", u.Known))
	}
	if want := []string{"logs/*/new/*.db 1 false", "logs/*/old-*.json 3 false", "logs/*/saved-*.json 2 true"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
