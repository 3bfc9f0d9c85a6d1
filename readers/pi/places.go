package pi

import (
	"cmp"
	"path/filepath"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// below returns a folder below the home folder.
func below(parts ...string) func(readers.Host) []string {
	return func(host readers.Host) []string {
		return []string{filepath.Join(append([]string{host.Home}, parts...)...)}
	}
}

// agentFolder returns pi's folder of the user's files.
func agentFolder(host readers.Host) string {
	return cmp.Or(host.Getenv("PI_CODING_AGENT_DIR"), filepath.Join(host.Home, ".pi", "agent"))
}

func settings(host readers.Host) []string { return []string{agentFolder(host)} }

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
