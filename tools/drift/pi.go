package main

import _ "embed"

// piAsks is an extension that asks before each command. Without extensions, pi never
// asks.
//
//go:embed scenarios/pi/ask.ts
var piAsks string

var pi = agent{
	name: "pi", title: "pi",
	packages: []string{"@mariozechner/pi-coding-agent", "@earendil-works/pi-coding-agent"},
	pack:     []string{"quickjs-wasi", "jiti", "typebox"},
	program:  "dist/bundle/cli.js",
	args:     []string{"--approve"},
	env:      []string{"PI_OFFLINE=1", "PI_TELEMETRY=0"},
	shell:    shell{tool: "bash", command: "command"},
	files: map[string]string{
		".pi/agent/extensions/ask.ts": piAsks,
		".pi/agent/models.json":       `{"providers": {"mock": {"baseUrl": "$MOCK/v1", "api": "openai-completions", "apiKey": "x", "models": [{"id": "mock-1", "contextWindow": 128000, "input": ["text"]}]}}}`,
		".pi/agent/settings.json":     `{"defaultProvider": "mock", "defaultModel": "mock-1", "quietStartup": true, "compaction": {"enabled": true, "reserveTokens": 16384, "keepRecentTokens": 50}}`,
	},
	ready: `mock-1`,
	keys: map[string][]step{
		"once":    {say("Make one file"), see("This session"), press("Enter"), see("One file is made")},
		"session": {say("Make two files"), see("This session"), press("Down", "Enter"), see("Two files are made")},
		"refuse":  {say("Delete the build folder"), see("and say why"), press("Down", "Down", "Down", "Enter"), see("Why not"), say("use make clean instead"), see("the folder stays")},
		"esc":     {say("Tell a long story"), see("Word9 "), press("Escape"), see("abort"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), say("/compact"), see(`ompacted from|\[compaction\]`), rest(1), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), say("/new"), rest(2), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{press("C-c", "C-c", "C-d")},
}
