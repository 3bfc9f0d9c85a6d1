package cline

import (
	"path/filepath"

	"hindsql/readers"
)

// servers describes the file of cline/cline, sdk/packages/shared/src/storage/paths.ts,
// resolveMcpSettingsPath. `cline mcp install` asks in a terminal, so hindsql doesn't call
// it.
var servers = readers.Servers{
	User: readers.UserServers(func(host readers.Host) string {
		return filepath.Join(dataFolder(host), "settings")
	}, "cline_mcp_settings.json"),
	Key:   []string{"mcpServers"},
	Entry: `{"command": PROGRAM, "args": ARGS}`,
}
