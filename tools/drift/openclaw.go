package main

import _ "embed"

// openclawApprove answers permission questions: the terminal shows none.
//
//go:embed scenarios/openclaw/approve.mjs
var openclawApprove string

func openclawAnswers(decision string) step {
	return background("approve.mjs", "$PORT", "mocktoken0mocktoken0", decision)
}

var openclaw = agent{
	name: "openclaw", title: "OpenClaw",
	packages: []string{"openclaw"},
	program:  "openclaw.mjs",
	args:     []string{"tui", "--url", "ws://127.0.0.1:$PORT", "--token", "mocktoken0mocktoken0"},
	env:      []string{"OPENCLAW_HIDE_BANNER=1", "OPENCLAW_SKIP_CHANNELS=1"},
	shell:    shell{tool: "exec", command: "command"},
	server:   &server{args: []string{"gateway", "run", "--port", "$PORT", "--token", "mocktoken0mocktoken0"}, ready: `startup outcomes`},
	scripts:  true, // otherwise the first start runs them, and nobody may not write there
	noRoot:   true, // root may write each program, so a grant for always isn't offered
	files: map[string]string{
		"approve.mjs": openclawApprove,
		".openclaw/openclaw.json": `{"logging": {"file": "$HOME/openclaw.log"}, "gateway": {"mode": "local", "port": $PORT, "bind": "loopback", "auth": {"mode": "token", "token": "mocktoken0mocktoken0"}},
"agents": {"defaults": {"workspace": "$WORK", "model": {"primary": "mock/mock-1"}}}, "tools": {"exec": {"mode": "ask"}},
"models": {"mode": "merge", "providers": {"mock": {"baseUrl": "$MOCK/v1", "apiKey": "x", "api": "openai-completions", "models": [{"id": "mock-1", "name": "Mock 1", "contextWindow": 128000, "maxTokens": 8000}]}}}}`,
	},
	ready: `(?i)connected`,
	keys: map[string][]step{
		"once":    {openclawAnswers("allow-once"), ask("Make one file", "One file is made")},
		"session": {openclawAnswers("allow-always"), ask("Show the folder twice", "folder is shown")},
		"refuse":  {openclawAnswers("deny"), ask("Delete the build folder", "the folder stays")},
		"esc":     {say("Tell a long story"), see("Word9 "), press("Escape"), see("(?i)abort"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), see("connected . idle"), ask("/compact", "(?i)compact(ed|ion finished)"), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), see("connected . idle"), say("/reset"), rest(4), see("connected . idle"), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{say("/exit")},
}
