package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hindsql/readers/all"
)

// livingPages are the pages about daily use of hindsql. They name commands, flags, make
// targets and paths.
var livingPages = []string{"install.md", "upgrading.md", "removal.md", "privacy.md", "comparison.md"}

// livingPage returns the text of such a page.
func livingPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	// A command is a span of code or a line of a block, up to the first shell operator.
	namedCommand = regexp.MustCompile("(?m)(?:^    |`)(?:unshare -n )?hindsql ([^`#|>\n]*)")
	namedTarget  = regexp.MustCompile("(?m)(?:^    |`)make ([a-z0-9-]+)")
)

// TestCommandsOfPages: each command and flag named by a page exists.
func TestCommandsOfPages(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, page := range livingPages {
		text := livingPage(t, page)
		for _, m := range namedCommand.FindAllStringSubmatch(text, -1) {
			commands++
			e, _, _ := outside(t)
			checkCommand(t, page, rootOf(e), strings.TrimSpace(m[1]))
		}
		for _, m := range namedTarget.FindAllStringSubmatch(text, -1) {
			if !regexp.MustCompile(`(?m)^` + m[1] + `:`).Match(makefile) {
				t.Errorf("%s: make has no target %s", page, m[1])
			}
		}
	}
	if commands < 20 {
		t.Errorf("only %d commands found", commands)
	}
}

// checkCommand checks that the command and its flags in a line of a page exist. SQL,
// and names that stand for the user's own things, are in quotes or capitals and aren't
// checked.
func checkCommand(t *testing.T, page string, root *cobra.Command, line string) {
	t.Helper()
	root.InitDefaultCompletionCmd(line)
	fields := strings.Fields(line)
	var names []string
	for _, word := range fields {
		if !strings.HasPrefix(word, "-") {
			names = append(names, word)
		}
	}
	c, _, err := root.Find(names)
	if err != nil {
		t.Errorf("%s: hindsql %s: %v", page, line, err)
		return
	}
	if c == root && len(names) > 0 && names[0] != strings.ToUpper(names[0]) {
		t.Errorf("%s: hindsql %s: no such command", page, line)
	}
	for _, word := range fields {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		flag := c.Flag(name)
		if len(name) == 1 {
			flag = c.Flags().ShorthandLookup(name)
		}
		if strings.HasPrefix(word, "-") && flag == nil {
			t.Errorf("%s: hindsql %s: no flag %s", page, line, word)
		}
	}
}

// TestInstallPage: the page names the Go version of go.mod.
func TestInstallPage(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)
	if !strings.Contains(livingPage(t, "install.md"), "Needs Go "+string(version[1])+",") {
		t.Errorf("install.md does not ask for Go %s", version[1])
	}
}

// TestRemovalPage: the page names every file written by hindsql, and the page's
// commands remove all of them.
func TestRemovalPage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the commands of the page are for Linux")
	}
	e, _, _ := outside(t)
	tools := filepath.Join(e.home, "made-up-tools")
	write(t, filepath.Join(tools, "systemctl"), "#!/bin/sh\n", 0o755)
	t.Setenv("PATH", tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	do := func(args ...string) {
		t.Helper()
		again, stdout, stderr := outside(t, args...)
		again.home = e.home
		again.getenv = cachedIn(filepath.Join(e.home, ".cache"))
		succeed(t, again, stdout, stderr)
	}
	theirs := filesBelow(t, e.home)
	do("sync")
	do("--sample", "run", "overview")
	do("report", "install", "weekly", "--schedule", "hourly", "--with", "systemd", "--yes")
	do("report", "run", "weekly", "--scheduled")
	do("skill", "install", "--agent", all.Readers()[1].Agent, "--yes")
	write(t, historyPath(&e), "SELECT 1\n", 0o600) // as the prompt does
	write(t, filepath.Join(queriesFolder(&e), "mine.sql"), "SELECT 1", 0o600)

	page := livingPage(t, "removal.md")
	var places []string
	for _, m := range regexp.MustCompile("`(~/[^`]*)`").FindAllStringSubmatch(page, -1) {
		places = append(places, strings.ReplaceAll(m[1], "NAME", "weekly"))
	}
	for _, p := range filesBelow(t, e.home) {
		named := func(place string) bool {
			return p == place || strings.HasSuffix(place, "/") && strings.HasPrefix(p, place)
		}
		// A switched-on timer is a link to a file named by the page.
		if !slices.Contains(theirs, p) && !slices.ContainsFunc(places, named) && path.Base(path.Dir(p)) != "timers.target.wants" {
			t.Errorf("removal.md does not name %s", p)
		}
	}
	do("report", "uninstall")
	do("skill", "uninstall")
	_, block, _ := strings.Cut(page, "```sh\n")
	block, _, _ = strings.Cut(block, "\n```")
	t.Setenv("HOME", e.home)
	if said, err := exec.CommandContext(t.Context(), "sh", "-c", block).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", block, err, said)
	}
	if left := filesBelow(t, e.home); !slices.Equal(left, theirs) {
		t.Errorf("removed, there are still %q, where there were %q", left, theirs)
	}
}

// TestPlacesOfRemoval: the page has the program's folders on other systems.
func TestPlacesOfRemoval(t *testing.T) {
	t.Parallel()
	page := strings.ReplaceAll(livingPage(t, "removal.md"), `\`, "/")
	for _, system := range []string{"linux", "darwin", "windows"} {
		env := &environment{identity: identity{os: system, home: "~"}, variables: variables{getenv: func(name string) string {
			if system == "windows" && (name == "LOCALAPPDATA" || name == "APPDATA") {
				return "%" + name + "%"
			}
			return ""
		}}}
		store, err := storePath(env, &logFlags{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{store, historyPath(env), env.configured("x")} {
			if place := "`" + filepath.ToSlash(filepath.Dir(p)) + "/`"; !strings.Contains(page, place) {
				t.Errorf("removal.md does not name %s of %s", place, system)
			}
		}
	}
}

func write(t *testing.T, at, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// filesBelow returns the files below a home folder, as ~/name.
func filesBelow(t *testing.T, home string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(home, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, "~"+strings.TrimPrefix(p, home))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
