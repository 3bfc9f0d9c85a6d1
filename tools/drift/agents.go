package main

// agents are the rows of the table, in order.
var agents = []*agent{&claude, &codex, &gemini, &copilot, &opencode, &pi, &openclaw, &kimi, &grok, &qwen, &cline, &vscode, &neovate}
