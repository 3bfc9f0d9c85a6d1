package main

var codex = agent{
	name: "codex", title: "Codex",
	packages: []string{"@openai/codex"},
	program:  "bin/codex.js",
	args:     []string{"--no-daemon"},
	shell:    shell{tool: "exec_command", command: "cmd", more: object{"sandbox_permissions": "require_escalated", "justification": "May I?"}},
	files: map[string]string{
		".codex/config.toml": `model = "mock"
model_provider = "mock"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "$MOCK/v1"
wire_api = "responses"
supports_websockets = false

[projects."$WORK"]
trust_level = "trusted"
`,
	},
	ready: `›`,
	keys: map[string][]step{
		"once":    {say("Make one file"), see("Would you like to run"), press("Enter"), see("One file is made")},
		"session": {say("Make two files"), see("Would you like to run"), press("Down", "Enter"), see("Two files are made")},
		"refuse":  {say("Delete the build folder"), see("Would you like to run"), press("Down", "Down", "Enter"), rest(1), ask("use make clean instead", "the folder stays"), rest(1)},
		"esc":     {say("Tell a long story"), see("Word9 "), press("Escape"), see("interrupted"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), say("/compact"), see(`(?i)compacted`), rest(1), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), say("/new"), maybe("Use current Git worktree", 3, press("Enter")), rest(1), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{say("/quit")},
}
