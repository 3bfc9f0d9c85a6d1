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
		row("logs", foldersOf(r.Roots))
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

// foldersOf returns an agent's folders on each system, or once if equal on all.
func foldersOf(folders func(readers.Host) []string) string {
	var lines []string
	for _, system := range systems {
		places := folders(readers.Host{OS: system.os, Home: "~", Getenv: func(string) string { return "" }})
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
	moved := movedBy(r.Roots)
	if r.Env == "" {
		return moved
	}
	replaced := "`$" + filepath.ToSlash(filepath.Join(r.Env, r.EnvSub)) + "` in their place"
	return strings.TrimSuffix(replaced+"; "+moved, "; ")
}

// movedBy returns the variables that an agent's folders depend on.
func movedBy(folders func(readers.Host) []string) string {
	asked := map[string]bool{}
	for _, system := range systems {
		folders(readers.Host{OS: system.os, Home: "~", Getenv: func(name string) string { asked[name] = true; return "" }})
	}
	delete(asked, "") // a reader may have no variable
	switch names := slices.Sorted(maps.Keys(asked)); len(names) {
	case 0:
		return ""
	case 1:
		return "`$" + names[0] + "` moves them"
	default:
		return "`$" + strings.Join(names, "`, `$") + "` move them"
	}
}

// othersTable lists the agents whose logs aren't read.
func othersTable([]*readers.Reader) string {
	text := "| not read | in the folders | because |\n|---|---|---|\n"
	for _, o := range all.UnsupportedAgents() {
		folders := foldersOf(o.Folders)
		if moved := movedBy(o.Folders); moved != "" {
			folders += "<br>" + moved
		}
		text += fmt.Sprintf("| %s | %s | %s |\n", o.Title, folders, o.Why)
	}
	return text
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

// TestAgentsPageIsWhole: each reader says how long its agent keeps logs, and which
// versions were tested. The newest tested version is comparable if logs name versions.
func TestAgentsPageIsWhole(t *testing.T) {
	t.Parallel()
	for _, r := range all.Readers() {
		if r.Kept == "" || r.Versions == "" {
			t.Errorf("%s: Kept is %q, Versions %q", r.Agent, r.Kept, r.Versions)
		}
		tested := r.Records[readers.Versions] != readers.NotRecorded && !strings.HasPrefix(r.Versions, "none")
		if tested != (r.Tested != "") || !strings.Contains(r.Versions, strings.TrimSuffix(r.Tested, ".0")) {
			t.Errorf("%s: Tested is %q, Versions %q", r.Agent, r.Tested, r.Versions)
		}
	}
}
