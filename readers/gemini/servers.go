package gemini

import (
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// servers follows `gemini mcp add` and `remove` of 0.61.0, as run (package
// @google/gemini-cli of npm). Arguments that begin with -- need a -- after the program;
// a -- must not come before the program. In an untrusted folder no server is started,
// not even the user's, as `gemini mcp list` said. A session that changes a setting
// writes its old copy of the file, and drops keys added since
// (google-gemini/gemini-cli, packages/cli/src/utils/commentJson.ts, applyKeyDiff;
// packages/cli/src/config/settings.ts, saveSettings).
var servers = readers.Servers{
	Add:      strings.Fields("gemini mcp add --scope user NAME PROGRAM -- ARGS"),
	Remove:   strings.Fields("gemini mcp remove --scope user NAME"),
	Replaces: true,
	User:     readers.UserServers(settings, "settings.json"),
	Project:  []string{".gemini/settings.json"},
	Key:      []string{"mcpServers"},
	Entry:    `{"command": PROGRAM, "args": ARGS}`,
	Note:     "only trusted folders use the entry; end running sessions first, because a changed setting makes Gemini CLI write the file without the entry",
}

func settings(host readers.Host) string {
	return filepath.Join(readers.HomeFolder("GEMINI_CLI_HOME")(host), ".gemini")
}
