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

// agentsPage says of each agent where its logs lie, and what else a person wants
// to know before counting on them.
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

// systems are those that agents keep their logs in other folders on.
var systems = []struct{ os, name string }{{"linux", "Linux"}, {"darwin", "macOS"}, {"windows", "Windows"}}

// rootsOf are a reader's folders on each system, or on all where they are the
// same.
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

// variablesOf are those that move a reader's folders: that which takes their
// place, and those that they are made of.
func variablesOf(r *readers.Reader) string {
	asked := map[string]bool{}
	for _, system := range systems {
		r.Roots(readers.Host{OS: system.os, Home: "~", Getenv: func(name string) string { asked[name] = true; return "" }})
	}
	var list []string
	if r.Env != "" {
		list = append(list, "`$"+filepath.ToSlash(filepath.Join(r.Env, r.EnvSub))+"` in their place")
	}
	delete(asked, "") // a reader may have no variable to ask for
	switch names := slices.Sorted(maps.Keys(asked)); len(names) {
	case 0:
	case 1:
		list = append(list, "`$"+names[0]+"` moves them")
	default:
		list = append(list, "`$"+strings.Join(names, "`, `$")+"` move them")
	}
	return strings.Join(list, "; ")
}

// notRecorded are the facts that no log of the agent's holds.
func notRecorded(r *readers.Reader) string {
	var list []string
	for _, fact := range readers.Facts() {
		if r.Records[fact] == readers.NotRecorded {
			list = append(list, fact.String())
		}
	}
	return strings.Join(list, "; ")
}

// TestAgentsPageIsWhole: each reader says how long its agent keeps its logs, and
// which were tested.
func TestAgentsPageIsWhole(t *testing.T) {
	t.Parallel()
	for _, r := range all.Readers() {
		if r.Kept == "" || r.Versions == "" {
			t.Errorf("%s: Kept is %q, Versions %q", r.Agent, r.Kept, r.Versions)
		}
	}
}
