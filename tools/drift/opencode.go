package main

var opencode = agent{
	name: "opencode", title: "opencode",
	packages: []string{"opencode-ai"},
	program:  "bin/opencode.exe", // its name on all systems
	native:   true,
	env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_PURE=1", "OPENCODE_MODELS_PATH=$HOME/models.json"},
	shell: shell{tool: "bash", command: "command", more: object{"description": "Does what was asked"}},
	files: map[string]string{
		"models.json":                    `{}`,
		".config/opencode/opencode.json": `{"$schema": "https://opencode.ai/config.json", "model": "mock/mock-1", "small_model": "mock/mock-1", "share": "disabled", "autoupdate": false, "permission": {"bash": "ask"}, "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": {"baseURL": "$MOCK/v1", "apiKey": "x"}, "models": {"mock-1": {"name": "mock-1", "limit": {"context": 128000, "output": 8000}}}}}}`,
	},
	ready: `(?i)ask anything`,
	keys: map[string][]step{
		"once":    {say("Make one file"), see("Permission required|Allow once"), rest(0.5), press("Enter"), see("One file is made")},
		"session": {say("Make two files"), see("Permission required|Allow once"), rest(0.5), press("Right", "Enter"), rest(1), press("Enter"), see("Two files are made")},
		"refuse":  {say("Delete the build folder"), see("Permission required|Allow once"), rest(0.5), press("Right", "Right", "Enter"), rest(1), say("use make clean instead"), see("the folder stays")},
		"esc":     {say("Tell a long story"), see("Word9 "), until("(?i)interrupted", "Escape"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), say("/compact"), rest(1), press("Enter"), see(`(?i)compaction`), rest(3), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), say("/new"), rest(1), press("Enter"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{say("/exit"), rest(1), press("Enter")},
}
