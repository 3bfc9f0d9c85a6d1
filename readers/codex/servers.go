package codex

import (
	"strings"

	"hindsql/readers"
)

// servers: `codex mcp add` and `remove` of 0.169.0 were run (package @openai/codex of
// npm). Comments of config.toml stay, and an existing name is replaced. A running Codex
// changes single keys of the file as it finds it (openai/codex,
// codex-rs/core/src/config/edit.rs). Codex reads a repository's file only if the
// repository is trusted, which a run showed too.
var servers = readers.Servers{
	Add:         strings.Fields("codex mcp add NAME -- LINE"),
	Remove:      strings.Fields("codex mcp remove NAME"),
	Replaces:    true,
	User:        readers.UserServers(readers.HomeFolder("CODEX_HOME", ".codex"), "config.toml"),
	Project:     []string{".codex/config.toml"},
	Key:         []string{"mcp_servers"},
	Entry:       `{"command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it counts where the repository is trusted",
}
