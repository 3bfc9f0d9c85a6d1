package opencode

import (
	"path/filepath"

	"hindsql/readers"
)

// serversOf are those of opencode's settings, or Kilo's, which are JSON with
// comments: all files of these names are read together. `opencode mcp list` of
// 1.18.33 and `kilo mcp list` of 7.7.9 were run (packages opencode-ai and
// @kilocode/cli of npm). Their `mcp add` is not called: older ones ask
// (anomalyco/opencode, issue 29827), and none of them takes an entry back.
// Kilo's names: Kilo-Org/kilocode,
// packages/kilo-docs/pages/automate/mcp/using-in-kilo-code.md.
func serversOf(agent string) readers.Servers {
	names, project := []string{"opencode.json", "opencode.jsonc", "config.json"}, []string{"opencode.json", "opencode.jsonc"}
	if agent == "kilo" {
		names = []string{"kilo.jsonc", "kilo.json"}
		project = []string{".kilo/kilo.jsonc", ".kilo/kilo.json", "kilo.jsonc", "kilo.json"}
	}
	folder := func(host readers.Host) string { return filepath.Join(host.XDGConfig(), agent) }
	return readers.Servers{
		User:    readers.UserServers(folder, names...),
		Project: project,
		Key:     []string{"mcp"},
		Entry:   `{"type": "local", "command": LINE}`,
	}
}
