//go:build linux

package platforms

import (
	"os"
	"path/filepath"
	"testing"
)

// world has the programs of both platforms, for the scenarios of TestWindows.
type world struct {
	linux, windows *host
}

// TestWindows tries the program for Windows under wine. make e2e-windows runs it;
// ONLY=beside runs the scenarios with that in their names.
func TestWindows(t *testing.T) {
	output(t)
	w := &world{linux: native(), windows: wined(t)}
	t.Run("equal rows", w.equalRows)
	t.Run("sync beside a reader", w.besideReader)
	t.Run("rebuild beside a reader", w.fullBesideReader)
	t.Run("first syncs at once", w.firstSyncs)
	t.Run("kills", w.kills)
	t.Run("exports", w.exports)
	t.Run("report", w.report)
	t.Run("web", w.web)
	t.Run("mcp", w.mcp)
	t.Run("from one platform to the other", w.exchange)
	t.Run("names", w.names)
	t.Run("long path", w.longPath)
	t.Run("held log", w.heldLog)
	t.Run("bombs", w.bombs)
	t.Run("quick tests", func(t *testing.T) { windows.checkQuick(t, w.windows.user(t, ""), quickOnWindows) })
}

// sample is a made-up home folder.
func sample() string { return filepath.Join(repository(), "readers", "sample", "home") }

// corpora returns the home folders of real logs, by name; none if they are missing.
func corpora(t *testing.T) map[string]string {
	t.Helper()
	folder := os.Getenv("HINDSQL_CORPUS")
	switch {
	case folder == "":
		folder = filepath.Join(repository(), "..", "shared", "corpus")
	case !filepath.IsAbs(folder):
		folder = filepath.Join(repository(), folder) // as package corpus has it
	}
	list := map[string]string{}
	for _, name := range []string{"home", "recent/home", "labelled/home", "new-agents/home", "more/home", "agents-3/home"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			list[name] = filepath.Join(folder, name)
		}
	}
	if len(list) == 0 {
		t.Logf("no real logs in %s", folder)
	}
	return list
}

// equalRows compares what both platforms make of the same logs.
func (w *world) equalRows(t *testing.T) {
	homes := corpora(t)
	homes["sample"] = sample()
	t.Run("bundled sample", func(t *testing.T) {
		here, there := w.linux.user(t, ""), w.windows.user(t, "")
		overview := []string{"--sample", "--timezone", "UTC", "run", "overview"}
		if want, got := here.run(t, overview...), there.run(t, overview...); got != want {
			t.Errorf("overview:\n%s\nwant\n%s", got, want)
		}
		here.leftOut = []string{"modified_at"} // each user unpacks the sample anew
		there.leftOut = here.leftOut
		checkEqual(t, here, there, "--sample")
	})
	for name, home := range homes {
		t.Run(name, func(t *testing.T) {
			here, there := w.linux.user(t, home), w.windows.user(t, home)
			for _, u := range []*user{here, there} {
				a := u.try(t, "sync")
				t.Logf("%s: %s%s", u.name, a.out, a.said)
				if a.code != 0 {
					t.Fatalf("%s: exit code %d", u.name, a.code)
				}
			}
			checkEqual(t, here, there)
		})
	}
}

// quickOnWindows are the packages whose quick tests are run under wine.
var quickOnWindows = []string{
	"internal/atomicfile", "readers", "readers/claude", "readers/codex", "readers/gemini", "readers/sqlite", "readers/vscode",
	"tables", "queries", "engine/store", "engine/fleet/machine", "engine/fleet/landing", "engine", "cmd/hindsql/prompt",
}
