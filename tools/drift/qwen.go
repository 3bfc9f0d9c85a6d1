package main

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
		"once":    {say("Make one file"), see("Allow execution"), press("Enter"), see("One file is made"), rest(1)},
		"session": {say("Make two files"), see("Allow execution"), press("Down", "Enter"), see("Two files are made"), rest(1)},
		"refuse":  {say("Delete the build folder"), see("Allow execution"), press("Escape"), rest(2), ask("use make clean instead", "the folder stays"), rest(1)},
		"esc":     {say("Tell a long story"), see("Word9 "), press("Escape"), see("Request cancelled"), press("C-u"), rest(1)},
		"compact": {ask("First topic", "Topic one"), ask("Second topic", "Topic two"), say("/compress"), see("history compressed"), rest(1), ask("Third topic", "Topic three"), rest(1)},
		"clear":   {ask("First topic", "Topic one"), say("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)},
	},
	quit: []step{say("/quit")},
}
