package claude

import (
	"cmp"
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// servers: `claude mcp add` and `remove` of 2.1.197 were run (package
// @anthropic-ai/claude-code of npm). Adding an existing name exits with 1. User scope
// is mcpServers of ~/.claude.json, or of .claude.json in $CLAUDE_CONFIG_DIR; every
// session rewrites the file. Project scope is .mcp.json. Its approval:
// code.claude.com/docs/en/mcp, "Project server approvals".
var servers = readers.Servers{
	Add:         strings.Fields("claude mcp add --scope user NAME -- LINE"),
	Remove:      strings.Fields("claude mcp remove --scope user NAME"),
	User:        userServers,
	Project:     []string{".mcp.json"},
	Key:         []string{"mcpServers"},
	Entry:       `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it asks once whether the server may be started",
}

// userServers returns one file for each configuration folder.
func userServers(host readers.Host) (list []readers.ServerFile) {
	for folder := range strings.SplitSeq(cmp.Or(host.Getenv("CLAUDE_CONFIG_DIR"), host.Home), ",") {
		if folder = strings.TrimSpace(folder); folder != "" {
			list = append(list, readers.ServerFile{Paths: []string{filepath.Join(folder, ".claude.json")}})
		}
	}
	return list
}
