package main

import (
	"strings"

	"hindsql/readers"
)

// serversTable lists where each agent's servers are registered on Linux.
func serversTable(list []*readers.Reader) string {
	host := readers.Host{OS: "linux", Home: "~", Getenv: func(string) string { return "" }}
	text := "| agent | for you | in a repository |\n|---|---|---|\n"
	for _, r := range list {
		how := &r.Servers
		if how.None != "" {
			text += "| " + r.Title + " | " + how.None + " | – |\n"
			continue
		}
		if how.User == nil {
			text += "| " + r.Title + " | – | – |\n"
			continue
		}
		file := how.User(host)[0]
		path := "`" + file.Paths[0] + "`"
		switch {
		case how.Add == nil:
		case file.ReadOnly:
			path = "`" + strings.Join(how.Add[:3], " ") + "`; " + path + " is left to it"
		default:
			path = "`" + strings.Join(how.Add[:3], " ") + "`, else " + path
		}
		project := "–"
		if how.Project != nil {
			project = "`" + how.Project[0] + "`"
		}
		text += "| " + r.Title + " | " + path + noted(how.Note) + " | " + project + noted(how.ProjectNote) + " |\n"
	}
	return text
}

func noted(note string) string {
	if note == "" {
		return ""
	}
	return "; " + note
}
