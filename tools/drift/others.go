package main

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
