package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/readers/all"
)

// agentsPage lists for each agent the places of its logs and further facts for users.
func agentsPage(list []*readers.Reader) string {
	var text strings.Builder
	for _, r := range list {
		folder := folderOf(r)
		fmt.Fprintf(&text, "\n## %s\n\n`%s` in tables and `--root`: [how its records become rows](../readers/%s/README.md), [what is on disk](../readers/%s/FORMAT.md).\n\n| | |\n|---|---|\n", r.Title, r.Agent, folder, folder)
		row := func(name, value string) {
			if value != "" {
				fmt.Fprintf(&text, "| %s | %s |\n", name, value)
			}
		}
		row("logs", rootsOf(r))
		row("variables", variablesOf(r))
		row("kept", r.Kept)
		row("ended", r.Ended)
		row("tested", r.Versions)
		row("not recorded", notRecorded(r))
	}
	return text.String()
}

// systems are the operating systems with different log folders.
var systems = []struct{ os, name string }{{"linux", "Linux"}, {"darwin", "macOS"}, {"windows", "Windows"}}

// rootsOf returns a reader's folders on each system, or once if equal on all.
func rootsOf(r *readers.Reader) string {
	var lines []string
	for _, system := range systems {
		places := r.Roots(readers.Host{OS: system.os, Home: "~", Getenv: func(string) string { return "" }})
		lines = append(lines, "`"+filepath.ToSlash(strings.Join(places, "`, `"))+"`")
	}
	if len(distinct(lines)) == 1 {
		return lines[0]
	}
	for i, system := range systems {
		lines[i] = system.name + ": " + lines[i]
	}
	return strings.Join(lines, "<br>")
}

// variablesOf returns the variables that replace a reader's folders or are part of
// their paths.
func variablesOf(r *readers.Reader) string {
	asked := map[string]bool{}
	for _, system := range systems {
		r.Roots(readers.Host{OS: system.os, Home: "~", Getenv: func(name string) string { asked[name] = true; return "" }})
	}
	var list []string
	if r.Env != "" {
		list = append(list, "`$"+filepath.ToSlash(filepath.Join(r.Env, r.EnvSub))+"` in their place")
	}
	delete(asked, "") // a reader may have no variable
	switch names := slices.Sorted(maps.Keys(asked)); len(names) {
	case 0:
	case 1:
		list = append(list, "`$"+names[0]+"` moves them")
	default:
		list = append(list, "`$"+strings.Join(names, "`, `$")+"` move them")
	}
	return strings.Join(list, "; ")
}

// notRecorded lists the facts missing in all of the agent's logs.
func notRecorded(r *readers.Reader) string {
	var list []string
	for _, fact := range readers.Facts() {
		if r.Records[fact] == readers.NotRecorded {
			list = append(list, fact.String())
		}
	}
	return strings.Join(list, "; ")
}

// TestAgentsPageIsWhole: each reader declares how long its agent keeps logs, and which
// versions of the agent were tested.
func TestAgentsPageIsWhole(t *testing.T) {
	t.Parallel()
	for _, r := range all.Readers() {
		if r.Kept == "" || r.Versions == "" {
			t.Errorf("%s: Kept is %q, Versions %q", r.Agent, r.Kept, r.Versions)
		}
	}
}
