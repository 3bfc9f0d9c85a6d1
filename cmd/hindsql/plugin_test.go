package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/register"
	"hindsql/cmd/hindsql/agents/skills"
	"hindsql/queries"
)

// pluginFolder is the plugin of Claude Code; docs/skills.md describes it.
var pluginFolder = filepath.Join("..", "..", "plugins", "hindsql")

// TestPlugin compares the plugin's skills and MCP server with the program's
// declarations.
func TestPlugin(t *testing.T) {
	t.Parallel()
	e, _, _ := onSample(t)
	build := (&agents.Here{Readers: e.readers, Version: "of the plugin"}).Build()
	for _, s := range skills.All() {
		compareGolden(t, filepath.Join(pluginFolder, "skills", s.Folder, skills.File), s.Text(build))
	}
	server := register.Server{Name: agents.ServerName, Program: "hindsql", Args: []string{"mcp"}}
	text, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{server.Name: map[string]any{"command": server.Program, "args": server.Args}}}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	compareGolden(t, filepath.Join(pluginFolder, ".mcp.json"), string(text)+"\n")
}

// TestPluginCommands runs what the plugin's commands ask for, on the sample.
func TestPluginCommands(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(pluginFolder, "commands", "*.md"))
	if err != nil || len(files) != 2 {
		t.Fatalf("commands %q, %v", files, err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`name "([\w-]+)"`).FindAllStringSubmatch(string(text), -1) {
			if _, err := queries.Find("", m[1]); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			seen["saved"] = true
		}
		for _, m := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			e, stdout, stderr := onSample(t, "--format", "csv", strings.ReplaceAll(m[1], "$what", "'push'"))
			if rows := succeed(t, e, stdout, stderr); strings.Count(rows, "\n") < 2 {
				t.Errorf("%s: %s", file, rows)
			}
			seen["sql"] = true
		}
	}
	if got := slices.Sorted(maps.Keys(seen)); len(got) != 2 {
		t.Errorf("only %q", got)
	}
}
