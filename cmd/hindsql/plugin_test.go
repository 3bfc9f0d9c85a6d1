package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/register"
	"hindsql/cmd/hindsql/agents/skills"
	"hindsql/queries"
)

// pluginFolder is the plugin of Claude Code, and the extension of Gemini CLI; docs/skills.md
// describes it.
var pluginFolder = filepath.Join("agents", "plugins", "hindsql")

// TestPlugin compares the skills, MCP server and commands of the plugin and of the
// extension with the program's declarations. Commands are written once, as the plugin's.
func TestPlugin(t *testing.T) {
	t.Parallel()
	e, _, _ := onSample(t)
	files := map[string]string{}
	titles := (&agents.Machine{Readers: e.readers}).Titles()
	for _, s := range skills.All() {
		files[filepath.Join("skills", s.Folder, skills.File)] = s.Text(titles)
	}
	for name, command := range pluginCommands(t) {
		files[filepath.Join("commands", name+".toml")] = extensionCommand(t, command)
	}
	server := register.Server{Program: "hindsql", Args: []string{"mcp"}}
	servers := map[string]any{register.ServerName: map[string]any{"command": server.Program, "args": server.Args}}
	files["gemini-extension.json"] = asJSON(t, map[string]any{
		"name": filepath.Base(pluginFolder), "version": contentVersion(files), "mcpServers": servers,
		"description": "Ask what you refused, why, and what happened in earlier sessions. Needs the program hindsql on PATH",
	})
	files[".mcp.json"] = asJSON(t, map[string]any{"mcpServers": servers})
	for name, text := range files {
		compareGolden(t, filepath.Join(pluginFolder, name), text)
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// contentVersion returns a version that changes with the files. Gemini CLI offers an
// update of an extension if the version differs, and there is no release whose number
// could stand here.
func contentVersion(files map[string]string) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(sum, "%s %d\n%s", filepath.ToSlash(name), len(files[name]), files[name])
	}
	return fmt.Sprintf("0.0.0+%x", sum.Sum(nil)[:6])
}

// pluginCommands returns the texts of the plugin's commands, by name.
func pluginCommands(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pluginFolder, "commands", "*.md"))
	if err != nil || len(files) != 2 {
		t.Fatalf("commands %q, %v", files, err)
	}
	commands := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		commands[strings.TrimSuffix(filepath.Base(file), ".md")] = string(text)
	}
	return commands
}

// extensionCommand turns a command of the plugin into one of the extension, which is
// TOML and has another name for what the user typed.
func extensionCommand(t *testing.T, command string) string {
	t.Helper()
	parts := regexp.MustCompile(`(?s)^---\ndescription: (.*?)\n.*?---\n(.*)$`).FindStringSubmatch(command)
	if parts == nil {
		t.Fatalf("no description: %s", command)
	}
	want := map[string]string{"description": parts[1], "prompt": strings.ReplaceAll(parts[2], "$ARGUMENTS", "{{args}}")}
	text := fmt.Sprintf("description = '%s'\nprompt = '''\n%s'''\n", want["description"], want["prompt"])
	got := map[string]string{}
	if _, err := toml.Decode(text, &got); err != nil || !maps.Equal(got, want) {
		t.Errorf("%v: %q, want %q", err, got, want)
	}
	if !strings.Contains(text, "{{args}}") || strings.Contains(text, "!{") || strings.Contains(text, "@{") { // these run programs, and read files
		t.Errorf("placeholders: %s", text)
	}
	return text
}

// TestPluginCommands runs what the plugin's commands ask for, on the sample.
func TestPluginCommands(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for name, text := range pluginCommands(t) {
		for _, m := range regexp.MustCompile(`name "([\w-]+)"`).FindAllStringSubmatch(text, -1) {
			if _, err := queries.Find("", m[1]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			seen["saved"] = true
		}
		for _, m := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(text, -1) {
			e, stdout, stderr := onSample(t, "--format", "csv", strings.ReplaceAll(m[1], "$what", "'push'"))
			if rows := succeed(t, e, stdout, stderr); strings.Count(rows, "\n") < 2 {
				t.Errorf("%s: %s", name, rows)
			}
			seen["sql"] = true
		}
	}
	if got := slices.Sorted(maps.Keys(seen)); len(got) != 2 {
		t.Errorf("only %q", got)
	}
}
