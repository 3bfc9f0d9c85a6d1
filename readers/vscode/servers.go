package vscode

import (
	"os"
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// servers describes mcp.json in the user's profile, and .vscode/mcp.json in a workspace
// (microsoft/vscode-docs, docs/copilot/reference/mcp-configuration.md). `code
// --add-mcp` writes the user's file of VS Code, and replaces an entry of the same name
// (microsoft/vscode, src/vs/platform/mcp/common/mcpManagementCli.ts); no option removes
// a server. The command was not run here. A server
// runs in the workspace's folder by default (microsoft/vscode,
// src/vs/workbench/contrib/mcp/common/mcpConfiguration.ts, cwd).
var servers = readers.Servers{
	Add:      strings.Fields("code --add-mcp NAMED"),
	Replaces: true,
	User:     userServers,
	Project:  []string{".vscode/mcp.json"},
	Key:      []string{"servers"},
	Entry:    `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
	Note:     "it asks whether to trust the server when that first starts",
}

// userServers returns the file of each installed product, or of the first product if
// none is installed. It ignores the files of non-default profiles and of servers on
// another machine. `code` changes the file of the first product.
func userServers(host readers.Host) (list []readers.ServerFile) {
	folders := roots(host)
	if portable := host.Getenv("VSCODE_PORTABLE"); portable != "" {
		folders = []string{filepath.Join(portable, "user-data", "User")}
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err == nil && info.IsDir() && !strings.Contains(filepath.ToSlash(folder), "-server") {
			list = append(list, serverFile(folder, folder != folders[0]))
		}
	}
	if list == nil {
		list = append(list, serverFile(folders[0], false))
	}
	return list
}

func serverFile(folder string, byHand bool) readers.ServerFile {
	return readers.ServerFile{Paths: []string{filepath.Join(folder, "mcp.json")}, ByHand: byHand}
}
