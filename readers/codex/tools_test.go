package codex

import (
	"testing"

	"hindsql/tables"
)

func TestCommandLine(t *testing.T) {
	for _, test := range []struct {
		words []string
		want  string
	}{
		{[]string{"bash", "-lc", "ls | wc"}, "ls | wc"},
		{[]string{"powershell.exe", "-NoProfile", "-Command", "Get-ChildItem"}, "Get-ChildItem"},
		{[]string{"rg", "a b", "it's"}, `rg 'a b' 'it'\''s'`},
		{[]string{"git", "commit", "-m", ""}, "git commit -m ''"},
		{[]string{"apply_patch", "*** Begin Patch"}, "*** Begin Patch"},
		{nil, ""},
	} {
		if got := commandLine(test.words); got != test.want {
			t.Errorf("%q: %q, want %q", test.words, got, test.want)
		}
	}
}

func TestToolNames(t *testing.T) {
	for _, test := range []struct{ namespace, name, want, kind string }{
		{"", "exec_command", "exec_command", tables.ToolCommand},
		{"", "mcp__db__query", "mcp__db__query", tables.ToolMCP},
		{"mcp__db", "query", "mcp__db__query", tables.ToolMCP},
		{"mcp__db__", "query", "mcp__db__query", tables.ToolMCP},
		{"mcp__db", "exec_command", "mcp__db__exec_command", tables.ToolMCP},
		{"collaboration", "spawn_agent", "collaboration.spawn_agent", tables.ToolAgent},
		{"multi_agent_v1", "wait", "multi_agent_v1.wait", tables.ToolAgent},
		{"collaboration", "exec_command", "collaboration.exec_command", tables.ToolAgent},
		{"functions", "exec_command", "functions.exec_command", tables.ToolCommand},
		{"clock", "curr_time", "clock.curr_time", tables.ToolOther},
		{"", "wait", "wait", tables.ToolAgent},
	} {
		if got, kind := toolName(test.namespace, test.name), toolKind(test.namespace, test.name); got != test.want || kind != test.kind {
			t.Errorf("%s, %s: %s of kind %s, want %s of kind %s", test.namespace, test.name, got, kind, test.want, test.kind)
		}
	}
}
