package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/posix"
)

func opened(t *testing.T, path string) *history {
	t.Helper()
	h, err := openHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func added(t *testing.T, h *history, entries ...string) {
	t.Helper()
	for _, e := range entries {
		if err := h.add(e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHistoryComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	entries := []string{"SELECT 1;", "SELECT\n  2;", `SELECT '\n \\n \';`, "SELECT '␤';", "SELECT\r\n3;", "SELECT 'ü';"}
	h := opened(t, path)
	added(t, h, entries...)
	added(t, h, "", "  ", "SELECT 1;", "SELECT 1;")
	want := append(append([]string{}, entries[1:]...), "SELECT 1;")
	for range 2 {
		if diff := cmp.Diff(want, h.entries); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		h = opened(t, path)
	}
	for path, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		posix.Mode(t, path, want)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "\n") != len(entries)+1 {
		t.Errorf("an entry twice in a row, or an empty one, is in the file: %q, %v", text, err)
	}
}

// TestTwoPromptsLoseNothing checks that two prompts open at the same time keep each
// other's history entries, whichever of them ends last.
func TestTwoPromptsLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	one, two := opened(t, path), opened(t, path)
	added(t, one, "a1")
	added(t, two, "b1")
	added(t, one, "a2")
	added(t, two, "b2")
	if diff := cmp.Diff([]string{"a1", "b1", "a2", "b2"}, opened(t, path).entries); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestHistoryIsLimited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var text strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&text, "SELECT %d AS a_line_of_some_length;\n", i)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h := opened(t, path)
	if n := len(h.entries); n != historyLimit || h.entries[n-1] != "SELECT 59999 AS a_line_of_some_length;" || h.entries[0] != "SELECT 59000 AS a_line_of_some_length;" {
		t.Errorf("%d entries from %q", n, h.entries[0])
	}
	if h := opened(t, ""); h.add("x") != nil || len(h.entries) != 1 {
		t.Error("without a file it isn't kept while the prompt is open")
	}
}

// TestRecall checks that Up and Down walk through the entries that begin like the text,
// and back to the text.
func TestRecall(t *testing.T) {
	entries := []string{"SELECT 1;", "FROM a;", "SELECT 2,\n 3;", "FROM b;"}
	var r recall
	text, before := "SEL rest", "SEL"
	for i, step := range []struct{ key, want string }{
		{"up", "SELECT 2,\n 3;"}, {"up", "SELECT 1;"}, {"up", ""}, {"down", "SELECT 2,\n 3;"}, {"down", "SEL rest"}, {"down", ""}, {"up", "SELECT 2,\n 3;"},
	} {
		var got string
		var ok bool
		if step.key == "up" {
			got, ok = r.up(entries, text, before)
		} else {
			got, ok = r.down(entries, text)
		}
		if got != step.want || ok != (step.want != "") {
			t.Errorf("%d: %s gives %q, want %q", i, step.key, got, step.want)
		}
		if ok {
			text = got
		}
	}
	if got, ok := r.up(entries, "changed", ""); !ok || got != "FROM b;" {
		t.Errorf("a changed text begins anew: %q", got)
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("SELECT '\\n\n\\\\n\r'")
	f.Fuzz(func(t *testing.T, entry string) {
		line := escape(entry)
		if strings.ContainsAny(line, "\r\n") || unescape(line) != entry {
			t.Errorf("%q is written %q, and read %q", entry, line, unescape(line))
		}
	})
}
