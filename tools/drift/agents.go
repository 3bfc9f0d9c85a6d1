package main

// agents are the agents of the table, in its order.
var agents = []*agent{&claude, &codex, &gemini, &copilot, &opencode, &pi, &openclaw, &vscode, &neovate}
