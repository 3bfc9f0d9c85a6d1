package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"hindsql/internal/posix"
	"hindsql/readers"
)

// TestOthersAreOnlyLookedFor: an agent without a reader is named with its existing
// paths. hindsql opens no path, so a link without a target also exists.
func TestOthersAreOnlyLookedFor(t *testing.T) {
	posix.Links(t)
	t.Parallel()
	h := newHome(t)
	c := h.Config()
	c.Host.Home = t.TempDir()
	at := func(name string) string { return filepath.Join(c.Host.Home, name) }
	must(t, os.Mkdir(at(".one"), 0o700))
	must(t, os.Symlink(at("nowhere"), at(".link")))
	agent := func(title string, names ...string) *readers.UnsupportedAgent {
		return &readers.UnsupportedAgent{Title: title, Why: "because", Folders: func(host readers.Host) (list []string) {
			for _, name := range names {
				list = append(list, filepath.Join(host.Home, name))
			}
			return list
		}}
	}
	c.Others = []*readers.UnsupportedAgent{agent("One", ".one", ".none", ".link"), agent("Two", ".none")}
	wantRows(t, open(t, c), "SELECT agent, folder, named_by, found, logs, bytes, is_read, why_not FROM agents WHERE agent IN ('One', 'Two')",
		"One|"+at(".one")+"|default|true|NULL|NULL|false|because", "One|"+at(".link")+"|default|true|NULL|NULL|false|because")
}
