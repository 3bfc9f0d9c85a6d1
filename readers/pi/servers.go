package pi

import "hindsql/readers"

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
