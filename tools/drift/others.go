package main

// Agents without a terminal. Their rows say which recordings were compared last.
var (
	vscode = agent{
		name: "vscode", title: "VS Code chat", newest: "at least 1.136",
		compared: "no terminal: recordings of 1.130 and older; no source of a newer one was compared",
	}
	neovate = agent{
		name: "neovate", title: "Neovate Code", newest: "0.28.2", // npm doesn't have it
		compared: "not driven: recordings of 0.28.2 and older",
	}
)
