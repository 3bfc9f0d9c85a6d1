// Package pi reads the logs of pi, and of programs with the same format: oh-my-pi and
// Prime. README.md describes the rows, FORMAT.md the records. The package
// pilines reads the lines.
package pi

import (
	"cmp"
	_ "embed" // fields.txt
	"path/filepath"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/pilines"
)

// Reader reads the logs of pi, formats 1 to 3.
var Reader = pilines.New(pilines.Program{
	Agent: "pi", Title: "pi", Version: version, Env: "PI_CODING_AGENT_SESSION_DIR",
	Versions:    "0.6x to 0.73.1 of @mariozechner/pi-coding-agent, 1.5.2 of @earendil-works/pi-coding-agent, which is pi since 0.74, and made-up ones of formats 1 and 2",
	AlsoRecords: "reasons compaction-triggers~",
	Roots:       roots, Resume: "pi --session ID", Settings: func(host readers.Host) []string { return []string{agentFolder(host)} }, Fields: readers.Fields(fields),
	Skills:  readers.SkillFolders{User: skills, Project: []string{readers.SharedSkills, ".pi/skills"}},
	Servers: readers.Servers{None: noServers},
})

// OhMyPi reads the logs of oh-my-pi, a fork of pi that asks for permission, and has
// subagents and a /clear.
var OhMyPi = pilines.New(pilines.Program{
	Agent: "omp", Title: "oh-my-pi", Version: version, Versions: "18.2.3, made-up ones after its source of 2026, and the source of 18.3.4, which writes the same lines",
	Options:     pilines.Options{AsksPermission: true},
	AlsoRecords: "compaction-tokens? clears subagents",
	Roots:       readers.HomeFolders(".omp/agent/sessions"), Resume: "omp --resume ID", Settings: readers.HomeFolders(".omp/agent"), Fields: readers.Fields(fields),
	// can1357/oh-my-pi, docs/skills.md.
	Skills: readers.SkillFolders{
		User:    readers.HomeFolders(readers.SharedSkills, ".claude/skills", ".omp/agent/skills"),
		Project: []string{readers.SharedSkills, ".claude/skills", ".omp/skills"},
	},
	Servers: ompServers,
})

// Prime reads the logs of Prime.
var Prime = pilines.New(pilines.Program{
	Agent: "prime", Title: "Prime", Version: version, Versions: assumed,
	Roots: readers.HomeFolders(".prime/agent/sessions"), Settings: readers.HomeFolders(".prime/agent"), Fields: readers.Fields(fields),
	// PrimeIntellect-ai/prime-agent, packages/coding-agent/docs/skills.md.
	Skills:  readers.SkillFolders{User: readers.HomeFolders(readers.SharedSkills), Project: []string{readers.SharedSkills}},
	Servers: readers.Servers{None: noPrograms},
})

// assumed describes programs whose logs were never seen.
const assumed = "none: its format is said to be that of pi"

// version grows when the same bytes give other rows.
const version = 4

//go:embed fields.txt
var fields string

// agentFolder returns pi's folder of the user's files.
func agentFolder(host readers.Host) string {
	return cmp.Or(host.Getenv("PI_CODING_AGENT_DIR"), filepath.Join(host.Home, ".pi", "agent"))
}

// skills returns the folders of a user's skills (badlogic/pi-mono,
// packages/coding-agent/docs/skills.md).
func skills(host readers.Host) []string {
	return append(readers.HomeFolders(readers.SharedSkills)(host), filepath.Join(agentFolder(host), "skills"))
}

// roots returns pi's folder of sessions, and the folder in pi's settings.
func roots(host readers.Host) []string {
	agent := agentFolder(host)
	list := []string{filepath.Join(agent, "sessions")}
	if folder := sessionDir(filepath.Join(agent, "settings.json")); strings.HasPrefix(folder, "~/") {
		list = append(list, filepath.Join(host.Home, folder[2:]))
	} else if filepath.IsAbs(folder) {
		list = append(list, folder) // a relative folder differs by project
	}
	return list
}

// sessionDir returns the folder of sessions in a settings file; empty if none.
func sessionDir(settings string) string {
	text, err := readers.ReadFile(settings)
	if err != nil {
		return ""
	}
	v, err := fastjson.ParseBytes(text)
	if err != nil {
		return ""
	}
	return readers.Text(v, "sessionDir")
}

const (
	// badlogic/pi-mono, packages/coding-agent/README.md, "Philosophy".
	noServers = "it starts no MCP servers, by its makers' choice; its skills do as well"
	// PrimeIntellect-ai/prime-agent, packages/coding-agent/docs/mcp-integrations.md at ed1a847.
	noPrograms = "it connects to MCP servers on the network only; its skills do as well"
)

// ompServers describes mcp.json in oh-my-pi's folder (can1357/oh-my-pi,
// docs/mcp-config.md). oh-my-pi also reads other agents' settings: the same name counts
// once.
var ompServers = readers.Servers{
	User:    readers.UserServers(readers.HomeFolder("PI_CODING_AGENT_DIR", ".omp", "agent"), "mcp.json", ".mcp.json"),
	Project: []string{".omp/mcp.json", ".omp/.mcp.json"},
	Key:     []string{"mcpServers"},
	Entry:   `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
}
