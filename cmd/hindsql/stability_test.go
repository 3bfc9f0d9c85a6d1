package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine/export"
	"hindsql/engine/fleet/landing"
	"hindsql/queries"
	"hindsql/queries/report"
	"hindsql/tables"
)

// releasedFile lists what the last release promised; docs/stability.md explains it. The
// file is absent until the first release.
const releasedFile = "../../docs/stability.txt"

var release = flag.Bool("release", false, "write the promises of this build to docs/stability.txt")

// TestStability fails if this build lacks something that the last release promised, and
// docs/upgrading.md doesn't name it. make stability writes the file at a release.
func TestStability(t *testing.T) {
	t.Parallel()
	today := promises(t)
	if *release {
		if err := os.WriteFile(releasedFile, []byte(strings.Join(today, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(releasedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	upgrading, err := os.ReadFile("../../docs/upgrading.md")
	if err != nil {
		t.Fatal(err)
	}
	released := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(released) < 1000 {
		t.Errorf("%s has only %d lines", releasedFile, len(released))
	}
	for _, line := range broken(released, today, string(upgrading)) {
		t.Errorf("%s is gone, and docs/upgrading.md doesn't name it", line)
	}
}

// broken returns the promises of a release that today's build doesn't keep, without
// those whose name stands in backticks on the page about upgrading.
func broken(released, today []string, upgrading string) (list []string) {
	for _, line := range released {
		name, _, _ := strings.Cut(line, ": ")
		words := strings.Fields(name)
		if _, kept := slices.BinarySearch(today, line); !kept && !strings.Contains(upgrading, "`"+words[len(words)-1]+"`") {
			list = append(list, line)
		}
	}
	return list
}

// TestBroken: a removed column, and one with another type, are found, unless the page
// about upgrading names them. New ones are allowed.
func TestBroken(t *testing.T) {
	released := []string{"column sessions.cost: DOUBLE", "column sessions.old: VARCHAR", "column sessions.title: VARCHAR", "exit code 4: held"}
	today := []string{"column sessions.cost: VARCHAR", "column sessions.new: VARCHAR", "column sessions.title: VARCHAR", "exit code 4: held"}
	if got := broken(released, today, "the column `sessions.old` is gone"); len(got) != 1 || got[0] != released[0] {
		t.Errorf("%q", got)
	}
	if got := broken(released, today, ""); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// promises lists, in order, what only a new major version may take away.
func promises(t *testing.T) (list []string) {
	t.Helper()
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, table := range slices.Concat(tables.All(), tables.Views()) {
		for _, c := range table.Columns {
			add("column %s.%s: %s", table.Name, c.Name, c.Type)
		}
	}
	for _, name := range tables.MacroNames() {
		add("function %s", name)
	}
	all, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		add("query %s", q.Name)
		for _, p := range q.Params {
			add("parameter %s.%s: %s", q.Name, p.Name, p.Type)
		}
	}
	reports, err := report.All("", all)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		add("report %s", r.Name)
	}
	for _, name := range term.Names() {
		add("format %s", name)
	}
	for _, f := range export.Formats() {
		add("export format %v", f)
	}
	for code, means := range map[int]string{
		exitOK: "done", exitFailed: "failed", exitUsage: "wrong usage", exitAlert: "a condition holds", exitHeld: "another program writes to the store",
		exitInterrupted: "interrupted",
	} {
		add("exit code %d: %s", code, means)
	}
	e, _, _ := onSample(t)
	commandPromises(newRootCommand(&e, &namedQuery{}), add)
	manifestPromises("manifest", reflect.TypeFor[landing.Manifest](), add)
	toolPromises(t, add)
	slices.Sort(list)
	return slices.Compact(list)
}

// commandPromises adds a command, its flags, and the commands below.
func commandPromises(c *cobra.Command, add func(string, ...any)) {
	if c.Hidden {
		return
	}
	add("command %s", strings.ReplaceAll(c.CommandPath(), " ", "-"))
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			add("flag %s.--%s: %s", strings.ReplaceAll(c.CommandPath(), " ", "-"), f.Name, f.Value.Type())
		}
	})
	for _, sub := range c.Commands() {
		commandPromises(sub, add)
	}
}

// manifestPromises adds the keys of a landing's manifest.
func manifestPromises(path string, of reflect.Type, add func(string, ...any)) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		kind := field.Type
		add("key %s.%s: %s", path, name, kind.Kind())
		if kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.Struct {
			manifestPromises(path+"."+name, kind.Elem(), add)
		}
	}
}

// toolPromises adds the tools of hindsql mcp with their arguments and answers.
func toolPromises(t *testing.T, add func(string, ...any)) {
	t.Helper()
	e, stdout, stderr := onSample(t, "mcp", "--all")
	e.stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	for line := range strings.Lines(succeed(t, e, stdout, stderr)) {
		var answer struct {
			Result struct {
				Tools []struct {
					Name                      string
					InputSchema, OutputSchema schemaNode
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatal(err)
		}
		for _, tool := range answer.Result.Tools {
			add("tool %s", tool.Name)
			tool.InputSchema.promises("argument "+tool.Name, add)
			tool.OutputSchema.promises("answer "+tool.Name, add)
		}
	}
}

// schemaNode is a part of a JSON schema.
type schemaNode struct {
	Type       any
	Properties map[string]schemaNode
	Items      *schemaNode
}

func (s schemaNode) promises(path string, add func(string, ...any)) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		child := s.Properties[name]
		add("%s.%s: %v", path, name, child.Type)
		child.promises(path+"."+name, add)
	}
	if s.Items != nil {
		s.Items.promises(path+"[]", add)
	}
}
