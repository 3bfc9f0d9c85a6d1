package main

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
		"once":    kimiTrusts(say("Make one file"), see("Approve once"), press("1"), see("One file is made"), rest(1)),
		"session": kimiTrusts(say("Make two files"), see("Approve once"), press("2"), see("Two files are made"), rest(1)),
		"refuse":  kimiTrusts(say("Delete the build folder"), see("Approve once"), press("4"), rest(1), say("use make clean instead"), see("the folder stays"), rest(1)),
		"esc":     kimiTrusts(say("Tell a long story"), see("Word9 "), press("Escape"), see("Interrupted by user"), rest(1)),
		"compact": kimiTrusts(ask("First topic", "Topic one"), ask("Second topic", "Topic two"), say("/compact"), see("Compaction complete"), rest(1), ask("Third topic", "Topic three"), rest(1)),
		"clear":   kimiTrusts(ask("First topic", "Topic one"), say("/clear"), rest(3), ask("Second topic", "Topic two"), rest(1)),
	},
	quit: []step{say("/exit")},
}
