package all_test

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/readers/all"
)

// host returns a Linux machine with a home folder and environment variables.
func host(home string, vars map[string]string) readers.Host {
	return readers.Host{OS: "linux", Home: home, Getenv: func(name string) string { return vars[name] }}
}

// TestSkillFolders: every agent reads the user's skills below the home folder, and a
// project's skills below the repository, or its reader says why not.
func TestSkillFolders(t *testing.T) {
	home := t.TempDir()
	for _, r := range all.Readers() {
		known := r.Skills.User != nil && len(r.Skills.Project) > 0
		switch some := r.Skills.User != nil || len(r.Skills.Project) > 0; {
		case r.Skills.None != "" && some:
			t.Errorf("%s: Skills has folders and None", r.Agent)
		case r.Skills.None == "" && !known:
			t.Errorf("%s: Skills needs User and Project, or None with the reason", r.Agent)
		}
		if !known {
			continue
		}
		for _, folder := range r.Skills.User(host(home, nil)) {
			if !strings.HasPrefix(folder, home) || filepath.Base(folder) != "skills" {
				t.Errorf("%s: %s is no folder of skills below the home folder", r.Agent, folder)
			}
		}
		for _, folder := range r.Skills.Project {
			if path.Base(folder) != "skills" || path.IsAbs(folder) || path.Clean(folder) != folder {
				t.Errorf("%s: %s is no folder of skills below a repository", r.Agent, folder)
			}
		}
	}
}

// TestSkillsFollowVariables: if a variable moves an agent's settings, the skills move
// too.
func TestSkillsFollowVariables(t *testing.T) {
	for agent, c := range map[string]struct{ name, folder string }{
		"claude": {"CLAUDE_CONFIG_DIR", "skills"}, "gemini": {"GEMINI_CLI_HOME", ".agents/skills"}, "openclaw": {"OPENCLAW_STATE_DIR", "skills"},
	} {
		for _, r := range all.Readers() {
			if r.Agent != agent {
				continue
			}
			if got, want := r.Skills.User(host("/h", map[string]string{c.name: "/x"}))[0], filepath.Join("/x", c.folder); got != want {
				t.Errorf("%s: %s, want %s", agent, got, want)
			}
		}
	}
}

// TestIsHere: an agent is used here if one of its roots or settings folders exists.
// Skills installed by other programs don't count.
func TestIsHere(t *testing.T) {
	for _, r := range all.Readers() {
		home := t.TempDir()
		if err := os.MkdirAll(filepath.Join(home, ".agents", "skills"), 0o700); err != nil {
			t.Fatal(err)
		}
		if r.IsUsed(host(home, nil), nil) {
			t.Errorf("%s: is in an empty home folder", r.Agent)
		}
		places := []func(readers.Host) []string{r.Roots}
		if r.Settings != nil {
			places = append(places, r.Settings)
		}
		for _, folders := range places {
			home := t.TempDir()
			if err := os.MkdirAll(folders(host(home, nil))[0], 0o700); err != nil {
				t.Fatal(err)
			}
			if !r.IsUsed(host(home, nil), nil) {
				t.Errorf("%s: not here, with %s", r.Agent, folders(host("~", nil))[0])
			}
		}
		if !r.IsUsed(host(home, nil), []string{t.TempDir()}) {
			t.Errorf("%s: not here, where a flag names its logs", r.Agent)
		}
	}
}
