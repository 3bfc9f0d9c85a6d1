package opencode

import (
	"path/filepath"

	"hindsql/readers"
)

// serversOf returns the server settings of opencode or Kilo. The settings are JSON with
// comments, and the agent reads all files with these names together. Checked by running
// `opencode mcp list` of 1.18.33 and `kilo mcp list` of 7.7.9 (packages opencode-ai and
// @kilocode/cli of npm). hindsql doesn't call their `mcp add`: older versions ask
// questions (anomalyco/opencode, issue 29827), and no version can remove an entry.
// Kilo's file names: Kilo-Org/kilocode,
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
