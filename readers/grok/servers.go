package grok

import (
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// servers: the user guide of xai-org/grok-build at 19d42e35, 07-mcp-servers.md. The
// commands were not run here.
var servers = readers.Servers{
	Add:         strings.Fields("grok mcp add NAME -- LINE"),
	Remove:      strings.Fields("grok mcp remove NAME"),
	User:        readers.UserServers(home, "config.toml"),
	Project:     []string{".grok/config.toml"},
	Key:         []string{"mcp_servers"},
	Entry:       `{"command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it counts once the folder is trusted",
}

// skills: the same guide, 08-skills.md.
var skills = readers.SkillFolders{
	User: func(host readers.Host) []string {
		return append([]string{filepath.Join(home(host), "skills")}, readers.HomeFolders(readers.SharedSkills, ".claude/skills", ".cursor/skills")(host)...)
	},
	Project: []string{".grok/skills", readers.SharedSkills, ".claude/skills", ".cursor/skills"},
}
