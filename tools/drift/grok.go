package main

var grok = agent{
	name: "grok", title: "Grok Build",
	packages: []string{"@xai-official/grok"},
	program:  "bin/grok",
	native:   true,
	shell:    shell{tool: "run_terminal_command", command: "command", more: object{"description": "Does what was asked"}},
	files: map[string]string{
		".grok/config.toml": `[cli]
auto_update = false

[features]
telemetry = false

[ui]
prompt_suggestions = false

[models]
default = "mock"

[model.mock]
model = "mock"
base_url = "$MOCK/v1"
api_key = "x"
`,
	},
	ready: `❯`,
	keys: map[string][]step{
		"once":    {say("Make one file"), see("Yes, proceed"), press("3"), see("One file is made"), rest(1)},
		"session": {say("Make two files"), see("Yes, proceed"), press("1"), see("Two files are made"), rest(1)},
		"refuse":  {say("Delete the build folder"), see("Yes, proceed"), press("Down", "Down", "Down"), rest(0.5), say("use make clean instead"), see("the folder stays"), rest(1)},
		"esc":     {say("Tell a long story"), see("Word9 "), press("C-c"), see("Turn cancelled by user"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), say("/compact"), see("Compaction completed"), rest(1), ask("Third topic", "Topic three"), rest(1)},
		"clear":   {ask("First topic", "Topic one"), say("/new"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{say("/exit")},
}
