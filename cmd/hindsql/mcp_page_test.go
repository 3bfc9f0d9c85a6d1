package main

import (
	"slices"
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
		file := how.User(host)[0]
		path := "`" + file.Paths[0] + "`"
		if how.Add != nil {
			path = "`" + strings.Join(own(how.Add), " ") + "`; " + path
		}
		project := "–"
		if how.Project != nil {
			project = "`" + how.Project[0] + "`"
		}
		text += "| " + r.Title + " | " + path + noted(how.Note) + " | " + project + noted(how.ProjectNote) + " |\n"
	}
	return text
}

// own returns a command without the arguments that hindsql gives it.
func own(words []string) []string {
	i := slices.IndexFunc(words, func(w string) bool { return w == strings.ToUpper(w) || w == "--scope" })
	return words[:i]
}

func noted(note string) string {
	if note == "" {
		return ""
	}
	return "; " + note
}
