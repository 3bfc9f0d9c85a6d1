package vscode

import (
	"os"
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// servers are those of mcp.json in the user's profile, and of a workspace's
// .vscode/mcp.json (microsoft/vscode-docs,
// docs/copilot/reference/mcp-configuration.md). `code --add-mcp` writes the
// first as well (microsoft/vscode, src/vs/platform/mcp/common/mcpManagementCli.ts);
// nothing of the kind takes it back. A server runs in the workspace's folder
// unless it says otherwise (microsoft/vscode,
// src/vs/workbench/contrib/mcp/common/mcpConfiguration.ts, cwd).
var servers = readers.Servers{
	User:    userServers,
	Project: []string{".vscode/mcp.json"},
	Key:     []string{"servers"},
	Entry:   `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
	Note:    "it asks whether to trust the server when that first starts",
}

// userServers is one file for each product that is here, or that of the first.
// Profiles other than the default one have files of their own, and so have
// servers on another machine: theirs are left alone.
func userServers(host readers.Host) (list []readers.ServerFile) {
	folders := roots(host)
	if portable := host.Getenv("VSCODE_PORTABLE"); portable != "" {
		folders = []string{filepath.Join(portable, "user-data", "User")}
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err == nil && info.IsDir() && !strings.Contains(filepath.ToSlash(folder), "-server") {
			list = append(list, serverFile(folder))
		}
	}
	if list == nil {
		list = append(list, serverFile(folders[0]))
	}
	return list
}

func serverFile(folder string) readers.ServerFile {
	return readers.ServerFile{Paths: []string{filepath.Join(folder, "mcp.json")}}
}
