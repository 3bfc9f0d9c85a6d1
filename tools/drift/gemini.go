package main

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
		"once":    {say("Make one file"), see("Allow"), press("Enter"), see("One file is made")},
		"session": {say("Make two files"), see("Allow"), press("Down", "Enter"), see("Two files are made")},
		"refuse":  {say("Delete the build folder"), see("Allow"), press("Escape"), rest(2), ask("use make clean instead", "the folder stays"), rest(1)},
		"esc":     {ask("First topic", "Topic one"), say("Tell a long story"), see("It begins.*Word9 "), press("Escape"), see("(?i)cancelled"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), say("/compress"), see(`(?i)compressed`), rest(1), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), say("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{say("/quit")},
}
