package main

import (
	_ "embed"
)

// agents are the rows of the table, in order.
var agents = []*agent{&claude, &codex, &gemini, &copilot, &opencode, &pi, &openclaw, &kimi, &grok, &qwen, &cline, &vscode, &neovate}

// Agents without a terminal. Their rows say which recordings were compared last.
var (
	vscode = agent{
		name: "vscode", title: "VS Code chat", newest: "1.139.1",
		compared: "no terminal: recordings of 1.130 and older; the serializer of 1.139.1 (commit 53c2f325) and of 1.138.0 was read, in npm's builds",
	}
	neovate = agent{
		name: "neovate", title: "Neovate Code", newest: "0.28.2", // npm doesn't have it
		compared: "not driven: recordings of 0.28.2 and older",
	}
)

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
		"once":    {enter("Make one file"), see("Do you want to proceed"), press("Enter"), see("One file is made")},
		"session": {enter("Make two files"), see("Do you want to proceed"), press("Down", "Enter"), see("Two files are made")},
		"refuse":  {enter("Delete the build folder"), see("Do you want to proceed"), press("Down", "Down", "Down", "Tab"), enter("use make clean instead"), see("the folder stays")},
		"esc":     {enter("Tell a long story"), see("Word9 "), press("Escape"), see("Interrupted"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), enter("/compact"), see(`(?i)compacted`), rest(1), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), enter("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{enter("/exit")},
}

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
		"once":    {enter("Make one file"), see("Would you like to run"), press("Enter"), see("One file is made")},
		"session": {enter("Make two files"), see("Would you like to run"), press("Down", "Enter"), see("Two files are made")},
		"refuse":  {enter("Delete the build folder"), see("Would you like to run"), press("Down", "Down", "Enter"), rest(1), ask("use make clean instead", "the folder stays"), rest(1)},
		"esc":     {enter("Tell a long story"), see("Word9 "), press("Escape"), see("interrupted"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), enter("/compact"), see(`(?i)compacted`), rest(1), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), enter("/new"), maybe("Use current Git worktree", 3, press("Enter")), rest(1), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{enter("/quit")},
}

var gemini = agent{
	name: "gemini", title: "Gemini CLI",
	packages: []string{"@google/gemini-cli"},
	program:  "bundle/gemini.js",
	env:      []string{"GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=$MOCK", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true"},
	shell:    shell{tool: "run_shell_command", command: "command", more: object{"description": "Does what was asked"}},
	files: map[string]string{
		".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": false, "disableAutoUpdate": true}, "privacy": {"usageStatisticsEnabled": false}, "ui": {"hideTips": true}}`,
	},
	ready: `Type your message`,
	keys: map[string][]step{
		"once":    {enter("Make one file"), see("Allow"), press("Enter"), see("One file is made")},
		"session": {enter("Make two files"), see("Allow"), press("Down", "Enter"), see("Two files are made")},
		"refuse":  {enter("Delete the build folder"), see("Allow"), press("Escape"), rest(2), ask("use make clean instead", "the folder stays"), rest(1)},
		"esc":     {ask("First topic", "Topic one"), enter("Tell a long story"), see("It begins.*Word9 "), press("Escape"), see("(?i)cancelled"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), enter("/compress"), see(`(?i)compressed`), rest(1), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), enter("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{enter("/quit")},
}

var copilot = agent{
	name: "copilot", title: "Copilot CLI",
	packages: []string{"@github/copilot"},
	program:  "npm-loader.js",
	env: []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=$MOCK/v1", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=x", "COPILOT_MODEL=mock",
		"COPILOT_AUTO_UPDATE=false"},
	shell: shell{tool: "bash", command: "command", more: object{"description": "Does what was asked"}},
	files: map[string]string{
		".copilot/config.json": `{"trusted_folders": ["$WORK"], "banner": "never"}`,
	},
	ready: `❯`,
	keys: map[string][]step{
		"once":    {enter("Make one file"), see("Do you want to run"), press("Enter"), see("One file is made")},
		"session": {enter("Make two files"), see("Do you want to run"), press("Down", "Enter"), see("Two files are made")},
		"refuse":  {enter("Delete the build folder"), see("Do you want to run"), press("Down", "Down", "Enter"), rest(1), enter("use make clean instead"), see("the folder stays")},
		"esc":     {enter("Tell a long story"), see("Word9 "), until("cancelled by user", "Escape"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), enter("/compact"), see(`(?i)compact(ed|ion completed)`), rest(1), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), enter("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{enter("/exit")},
}

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
		"once":    {enter("Make one file"), see("Permission required|Allow once"), rest(0.5), press("Enter"), see("One file is made")},
		"session": {enter("Make two files"), see("Permission required|Allow once"), rest(0.5), press("Right", "Enter"), rest(1), press("Enter"), see("Two files are made")},
		"refuse":  {enter("Delete the build folder"), see("Permission required|Allow once"), rest(0.5), press("Right", "Right", "Enter"), rest(1), enter("use make clean instead"), see("the folder stays")},
		"esc":     {enter("Tell a long story"), see("Word9 "), until("(?i)interrupted", "Escape"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), enter("/compact"), rest(1), press("Enter"), see(`(?i)compaction`), rest(3), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), enter("/new"), rest(1), press("Enter"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{enter("/exit"), rest(1), press("Enter")},
}

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
		"once":    {enter("Make one file"), see("This session"), press("Enter"), see("One file is made")},
		"session": {enter("Make two files"), see("This session"), press("Down", "Enter"), see("Two files are made")},
		"refuse":  {enter("Delete the build folder"), see("and say why"), press("Down", "Down", "Down", "Enter"), see("Why not"), enter("use make clean instead"), see("the folder stays")},
		"esc":     {enter("Tell a long story"), see("Word9 "), press("Escape"), see("abort"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), enter("/compact"), see(`ompacted from|\[compaction\]`), rest(1), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), enter("/new"), rest(2), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{press("C-c", "C-c", "C-d")},
}

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
	scripts:  true, // run at the install: at the first start, the agent's user may not write there
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
		"esc":     {enter("Tell a long story"), see("Word9 "), press("Escape"), see("(?i)abort"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), see("connected . idle"), ask("/compact", "(?i)compact(ed|ion finished)"), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), see("connected . idle"), enter("/reset"), rest(4), see("connected . idle"), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{enter("/exit")},
}

// kimiTrusts answers the question whether the folder is trusted: the answer's file has a
// name made of the folder's path.
func kimiTrusts(steps ...step) []step {
	return append([]step{maybe("Trust this folder", 5, press("Enter")), see("Welcome to Kimi"), rest(1)}, steps...)
}

var kimi = agent{
	name: "kimi", title: "Kimi Code",
	packages: []string{"@moonshot-ai/kimi-code"},
	program:  "dist/main.mjs",
	env: []string{"KIMI_MODEL_NAME=mock", "KIMI_MODEL_PROVIDER_TYPE=openai", "KIMI_MODEL_BASE_URL=$MOCK/v1", "KIMI_MODEL_API_KEY=x",
		"KIMI_CODE_NO_AUTO_UPDATE=1", "KIMI_DISABLE_TELEMETRY=1"},
	shell: shell{tool: "Bash", command: "command"},
	files: map[string]string{
		".kimi-code/tui.toml": "disable_feedback_survey = true\n[upgrade]\nauto_install = false\n",
	},
	ready: `Trust this folder|Welcome to Kimi`,
	keys: map[string][]step{
		"once":    kimiTrusts(enter("Make one file"), see("Approve once"), press("1"), see("One file is made"), rest(1)),
		"session": kimiTrusts(enter("Make two files"), see("Approve once"), press("2"), see("Two files are made"), rest(1)),
		"refuse":  kimiTrusts(enter("Delete the build folder"), see("Approve once"), press("4"), rest(1), enter("use make clean instead"), see("the folder stays"), rest(1)),
		"esc":     kimiTrusts(enter("Tell a long story"), see("Word9 "), press("Escape"), see("Interrupted by user"), rest(1)),
		"compact": kimiTrusts(ask("First topic", "Topic one"), ask("Second topic", "Topic two"), enter("/compact"), see("Compaction complete"), rest(1), ask("Third topic", "Topic three"), rest(1)),
		"clear":   kimiTrusts(ask("First topic", "Topic one"), enter("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)),
	},
	quit: []step{enter("/exit")},
}

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
		"once":    {enter("Make one file"), see("Yes, proceed"), press("3"), see("One file is made"), rest(1)},
		"session": {enter("Make two files"), see("Yes, proceed"), press("1"), see("Two files are made"), rest(1)},
		"refuse":  {enter("Delete the build folder"), see("Yes, proceed"), press("Down", "Down", "Down"), rest(0.5), enter("use make clean instead"), see("the folder stays"), rest(1)},
		"esc":     {enter("Tell a long story"), see("Word9 "), press("C-c"), see("Turn cancelled by user"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), enter("/compact"), see("Compaction completed"), rest(1), ask("Third topic", "Topic three"), rest(1)},
		"clear":   {ask("First topic", "Topic one"), enter("/new"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{enter("/exit")},
}

var qwen = agent{
	name: "qwen", title: "Qwen Code",
	packages: []string{"@qwen-code/qwen-code"},
	program:  "cli-entry.js",
	env:      []string{"OPENAI_BASE_URL=$MOCK/v1", "OPENAI_API_KEY=x", "OPENAI_MODEL=mock"},
	shell:    shell{tool: "run_shell_command", command: "command", more: object{"is_background": false, "description": "Does what was asked"}},
	files: map[string]string{
		".qwen/settings.json": `{"$version": 3, "security": {"auth": {"selectedType": "openai"}}, "tools": {"approvalMode": "default", "useRipgrep": false}, "memory": {"enableManagedAutoMemory": false, "enableManagedAutoDream": false, "enableAutoSkill": false}, "general": {"enableAutoUpdate": false, "disableAutoUpdate": true}, "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}, "ui": {"hideTips": true, "enableFollowupSuggestions": false}}`,
	},
	ready: `Type your message`,
	keys: map[string][]step{
		"once":    {enter("Make one file"), see("Allow execution"), press("Enter"), see("One file is made"), rest(1)},
		"session": {enter("Make two files"), see("Allow execution"), press("Down", "Enter"), see("Two files are made"), rest(1)},
		"refuse":  {enter("Delete the build folder"), see("Allow execution"), press("Escape"), rest(2), ask("use make clean instead", "the folder stays"), rest(1)},
		"esc":     {enter("Tell a long story"), see("Word9 "), press("Escape"), see("Request cancelled"), press("C-u"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), enter("/compress"), see("history compressed"), rest(1), ask("Third topic", "Topic three"), rest(1)},
		"clear":   {ask("First topic", "Topic one"), enter("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{enter("/quit")},
}

var cline = agent{
	name: "cline", title: "Cline",
	packages: []string{"cline"},
	program:  "bin/cline",
	args:     []string{"--tui", "--auto-approve", "false"},
	env: []string{"CLINE_HUB_PORT=$PORT", // without it, a daemon of the user would serve the run
		"CLINE_DISABLE_CLINE_PASS_NOTICE=1", "CLINE_NO_AUTO_UPDATE=1"},
	shell: shell{tool: "run_commands", command: "commands", list: true},
	files: map[string]string{
		".cline/data/settings/cli-notices.json":     `{"shown": {"cline-cli-cline-pass-intro": true, "cline-cli-desktop-launch": true}}`,
		".cline/data/settings/global-settings.json": `{"telemetryOptOut": true, "autoUpdateEnabled": false, "toolAutoApprove": false}`,
		".cline/data/settings/providers.json":       `{"version": 1, "lastUsedProvider": "openai-compatible", "modes": {}, "providers": {"openai-compatible": {"settings": {"provider": "openai-compatible", "apiKey": "x", "model": "mock", "baseUrl": "$MOCK/v1"}, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}}}`,
	},
	ready: `What can I do for you`,
	keys: map[string][]step{
		"once":    {enter("Make one file"), see("Approve tool call"), press("y"), see("One file is made"), rest(1)},
		"session": {press("BTab"), see("Auto-approve all enabled"), enter("Make two files"), see("Two files are made"), rest(1)},
		"refuse":  {enter("Delete the build folder"), see("Approve tool call"), press("n"), see("the folder stays"), rest(1)},
		"esc":     {enter("Tell a long story"), see("Word9 "), press("Escape"), rest(2), ask("Second topic", "Topic two"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), enter("/compact"), see("Context compacted"), rest(1), ask("Third topic", "Topic three"), rest(1)},
		"clear":   {ask("First topic", "Topic one"), enter("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{enter("/exit"), rest(1), press("Enter")},
}
