package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/register"
	"hindsql/internal/posix"
)

// stubs puts a program for each agent's own command on PATH, alone. A stub appends its
// arguments to a file beside it, each with a zero byte, and changes no settings.
func stubs(t *testing.T, e environment) (folder string) {
	t.Helper()
	posix.Only(t, "the stubs are shell scripts")
	folder = t.TempDir()
	for _, r := range e.readers {
		if r.Servers.Add != nil {
			text := "#!/bin/sh\necho '" + r.Agent + " was asked'\nprintf '%s\\0' \"$@\" >> \"$0.calls\"\n"
			if err := os.WriteFile(filepath.Join(folder, r.Servers.Add[0]), []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("PATH", folder)
	return folder
}

// TestInstallAsks: an agent's own command is called only if the answer is yes.
func TestInstallAsks(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "YES\n": true, "n\n": false, "\n": false, "": false, "yep\n": false} {
		e, stdout, stderr := outside(t, "mcp", "install", "--agent", "claude")
		e.stdin, e.stdinTerminal = strings.NewReader(answer), true
		folder := stubs(t, e)
		if code := execute(context.Background(), e); (code == exitOK) == want { // the stub registers nothing, so the command fails
			t.Errorf("%q: exit code %d: %s", answer, code, stderr)
		}
		if _, err := os.Stat(filepath.Join(folder, "claude.calls")); (err == nil) != want {
			t.Errorf("%q: called: %v", answer, err == nil)
		}
		if got := stdout.String(); !strings.Contains(got, "Do this? [y/N]") || want == strings.Contains(got, "nothing was changed") {
			t.Errorf("%q: %s", answer, got)
		}
	}
}

// TestSettingsAreTheirs: hindsql writes to no agent's settings, neither the user's nor a
// repository's, whether the files are there or not. It names each file, and odd
// arguments reach the agents' commands unchanged.
func TestSettingsAreTheirs(t *testing.T) {
	store := `/odd/a "b" it's $(c) %d`
	quoted, _ := json.Marshal(store)
	for _, filled := range []bool{false, true} {
		for scope, args := range map[string][]string{
			agents.User: {"install", "--store", store}, agents.Project: {"install", "--scope", "project"}, "": {"uninstall"},
		} {
			e, stdout, stderr := outside(t)
			e.args = slices.Concat([]string{"mcp"}, args, []string{"--yes"})
			e.folder = filepath.Join(e.home, "repo")
			folder, places := stubs(t, e), agentsWithSettings(t, &e, scope, filled)
			before := filesOf(t, e.home)
			execute(context.Background(), e)
			if after := filesOf(t, e.home); !maps.Equal(before, after) {
				t.Errorf("%q: the home folder changed:\n%v\nwas\n%v", args, after, before)
			}
			for _, p := range places {
				if path := strings.TrimPrefix(p.Path, e.home+"/"); (filled || scope != "") && !strings.Contains(stdout.String()+stderr.String(), path) {
					t.Errorf("%s %q: %s isn't named:\n%s%s", p.Agent.Agent, args, path, stdout, stderr)
				}
				if scope == agents.User && p.Agent.Servers.Add != nil {
					calls, _ := os.ReadFile(filepath.Join(folder, p.Agent.Servers.Add[0]+".calls"))
					if got := "\x00" + string(calls); !strings.Contains(got, "\x00"+store+"\x00") && !strings.Contains(got, string(quoted)) {
						t.Errorf("%s: called with %q", p.Agent.Agent, calls)
					}
				}
			}
		}
	}
}

// agentsWithSettings makes a repository, and has a command ask for all agents that list
// MCP servers. If filled is set, their settings have another server of hindsql's name.
func agentsWithSettings(t *testing.T, e *environment, scope string, filled bool) []register.Place {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(e.folder, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	here := agents.Machine{Host: e.host(), Readers: e.readers, Tree: e.folder}
	places := here.Servers(e.readers, scope)
	for _, p := range places {
		e.args = append(e.args, "--agent", p.Agent.Agent)
		if filled {
			text := p.Entry(register.Server{Program: "old"})
			if err := errors.Join(os.MkdirAll(filepath.Dir(p.Path), 0o700), os.WriteFile(p.Path, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return places
}

// filesOf returns the mode, time and text of each file below a folder.
func filesOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text, _ := os.ReadFile(path) // empty for a folder
		files[path] = info.Mode().String() + info.ModTime().String() + string(text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
