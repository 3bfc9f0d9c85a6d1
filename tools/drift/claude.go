package main

var claude = agent{
	name: "claude", title: "Claude Code",
	packages: []string{"@anthropic-ai/claude-code"},
	program:  "bin/claude.exe", // its name on all systems
	native:   true,
	args:     []string{"--permission-mode", "default"},
	env: []string{"ANTHROPIC_BASE_URL=$MOCK", "ANTHROPIC_AUTH_TOKEN=x", "ANTHROPIC_MODEL=mock", "ANTHROPIC_DEFAULT_HAIKU_MODEL=mock",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1"},
	shell: shell{tool: "Bash", command: "command", more: object{"description": "Does what was asked"}},
	files: map[string]string{
		".claude.json":          `{"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 5, "projects": {"$WORK": {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}}`,
		".claude/settings.json": `{"theme": "dark"}`,
	},
	ready: `(?m)^\s*[❯>]`,
	keys: map[string][]step{
		"once":    {say("Make one file"), see("Do you want to proceed"), press("Enter"), see("One file is made")},
		"session": {say("Make two files"), see("Do you want to proceed"), press("Down", "Enter"), see("Two files are made")},
		"refuse":  {say("Delete the build folder"), see("Do you want to proceed"), press("Down", "Down", "Down", "Tab"), say("use make clean instead"), see("the folder stays")},
		"esc":     {say("Tell a long story"), see("Word9 "), press("Escape"), see("Interrupted"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), say("/compact"), see(`(?i)compacted`), rest(1), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), say("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{say("/exit")},
}
