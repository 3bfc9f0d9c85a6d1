package gemini

import (
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// servers: `gemini mcp add` and `remove` of 0.61.0 were run (package
// @google/gemini-cli of npm). What begins with -- after the program is taken as
// an argument only behind a --, which must not stand before the program. In a
// folder that isn't trusted no server is started, the user's neither, which
// `gemini mcp list` said.
// A session that changes a setting writes the file as it knew it, and drops keys
// that came since (google-gemini/gemini-cli, packages/cli/src/utils/commentJson.ts,
// applyKeyDiff; packages/cli/src/config/settings.ts, saveSettings).
var servers = readers.Servers{
	Add:      strings.Fields("gemini mcp add --scope user NAME PROGRAM -- ARGS"),
	Remove:   strings.Fields("gemini mcp remove --scope user NAME"),
	Replaces: true,
	User:     readers.UserServers(settings, "settings.json"),
	Project:  []string{".gemini/settings.json"},
	Key:      []string{"mcpServers"},
	Entry:    `{"command": PROGRAM, "args": ARGS}`,
	Note:     "it counts in trusted folders; end sessions that run now: one that changes a setting writes the file without it",
}

func settings(host readers.Host) string {
	return filepath.Join(readers.HomeFolder("GEMINI_CLI_HOME")(host), ".gemini")
}
