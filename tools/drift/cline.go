package main

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
		"once":    {say("Make one file"), see("Approve tool call"), press("y"), see("One file is made"), rest(1)},
		"session": {press("BTab"), see("Auto-approve all enabled"), say("Make two files"), see("Two files are made"), rest(1)},
		"refuse":  {say("Delete the build folder"), see("Approve tool call"), press("n"), see("the folder stays"), rest(1)},
		"esc":     {say("Tell a long story"), see("Word9 "), press("Escape"), rest(2), ask("Second topic", "Topic two"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), say("/compact"), see("Context compacted"), rest(1), ask("Third topic", "Topic three"), rest(1)},
		"clear":   {ask("First topic", "Topic one"), say("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{say("/exit"), rest(1), press("Enter")},
}
