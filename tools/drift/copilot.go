package main

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
		"once":    {say("Make one file"), see("Do you want to run"), press("Enter"), see("One file is made")},
		"session": {say("Make two files"), see("Do you want to run"), press("Down", "Enter"), see("Two files are made")},
		"refuse":  {say("Delete the build folder"), see("Do you want to run"), press("Down", "Down", "Enter"), rest(1), say("use make clean instead"), see("the folder stays")},
		"esc":     {say("Tell a long story"), see("Word9 "), until("cancelled by user", "Escape"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), say("/compact"), see(`(?i)compact(ed|ion completed)`), rest(1), ask("Third topic", "Topic three")},
		"clear":   {ask("First topic", "Topic one"), say("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{say("/exit")},
}
