package skills_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"hindsql/cmd/hindsql/agents/skills"
	"hindsql/internal/posix"
	"hindsql/queries"
	"hindsql/tables"
)

var agents = []string{"One", "Two"}

// TestSpecification checks the requirements of agentskills.io (agentskills/agentskills,
// docs/specification.mdx), and of simple YAML readers: key and value on the same line,
// and an unquoted value.
func TestSpecification(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, s := range skills.All() {
		text := s.Text(agents)
		head, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
		if !ok || !strings.HasPrefix(text, "---\n") || strings.Contains(body, "\n---\n") {
			t.Fatalf("%s: no frontmatter:\n%s", s.Name, text)
		}
		fields := map[string]string{}
		for line := range strings.SplitSeq(head, "\n") {
			key, value, _ := strings.Cut(line, ":")
			fields[key] = strings.TrimSpace(value)
		}
		if fields["name"] != s.Folder || !name.MatchString(s.Folder) || len(s.Folder) > 64 {
			t.Errorf("%s: is called %q", s.Folder, fields["name"])
		}
		about := fields["description"]
		if n := utf8.RuneCountInString(about); n < 100 || n > 1024 {
			t.Errorf("%s: a description of %d letters", s.Name, n)
		}
		if strings.ContainsAny(about[:1], "\"'[{&*!|>%@`") || strings.Contains(about, ": ") || strings.Contains(about, " #") {
			t.Errorf("%s: the description is no plain YAML: %s", s.Name, about)
		}
		if !strings.Contains(about, "Use when") {
			t.Errorf("%s: the description doesn't say when", s.Name)
		}
		if lines := strings.Count(text, "\n"); lines > 150 {
			t.Errorf("%s: %d lines", s.Name, lines)
		}
		if i := strings.Index(text, "{{"); i >= 0 {
			t.Errorf("%s: a template shows through: %.80s", s.Name, text[i:])
		}
		for i, line := range strings.Split(text, "\n") {
			if strings.TrimRight(line, " ") != line || strings.Contains(line, "<no value>") {
				t.Errorf("%s:%d: %q", s.Name, i+1, line)
			}
		}
	}
}

// TestSkillKnowsTheBuild: the text has each table, function and agent of this build.
func TestSkillKnowsTheBuild(t *testing.T) {
	text := skills.Named("hindsql").Text(agents)
	for _, table := range tables.Shown() {
		if !strings.Contains(text, "**"+table.Name+"**") {
			t.Errorf("no table %s", table.Name)
		}
	}
	for _, m := range tables.Macros() {
		if !strings.Contains(text, "`"+m.Call+"`") {
			t.Errorf("no function %s", m.Call)
		}
	}
	if !strings.Contains(text, "those of One, Two.") {
		t.Error("the agents aren't named")
	}
	about, _, _ := strings.Cut(text[strings.Index(text, "## Tables"):], "## Before")
	if n := strings.Count(about, "\n"); n > 55 {
		t.Errorf("tables, words and functions take %d lines", n)
	}
}

// TestSkillNamesQueries: each query named in a text is a saved query.
func TestSkillNamesQueries(t *testing.T) {
	form := regexp.MustCompile("(?:run\\(\"|hindsql --format markdown )([a-z]+(?:-[a-z]+)+)")
	for _, s := range skills.All() {
		found := form.FindAllStringSubmatch(s.Text(agents), -1)
		if len(found) < 2 {
			t.Errorf("%s: names %d queries", s.Name, len(found))
		}
		for _, m := range found {
			if q, _ := queries.Find("", m[1]); q == nil {
				t.Errorf("%s: there is no saved query %s", s.Name, m[1])
			}
		}
	}
	if q, _ := queries.Find("", skills.RulesQuery); q.Param("since") == nil {
		t.Errorf("%s takes no since", skills.RulesQuery)
	}
}

// TestMethod: the skill rules has the same method as the MCP server's prompt about
// rules.
func TestMethod(t *testing.T) {
	if !strings.Contains(skills.Named("rules").Text(agents), skills.Method()) || !strings.HasPrefix(skills.Method(), "## ") {
		t.Error("the skill has another text than Method")
	}
	if strings.Contains(skills.Method(), "hindsql --") {
		t.Error("Method depends on a shell")
	}
}

// TestStates: from a skill file's text, Look tells whether hindsql wrote the file, and
// whether the text is this build's.
func TestStates(t *testing.T) {
	s := skills.Named("rules")
	text := s.Text(agents)
	mark := regexp.MustCompile(`(?m)^<!-- Written by .* -->\n`)
	for name, c := range map[string]struct {
		text string
		want skills.State
	}{
		"nothing":          {"", skills.Missing},
		"the same":         {text, skills.Current},
		"git's line ends":  {strings.ReplaceAll(text, "\n", "\r\n"), skills.Current},
		"a line more":      {text + "\nNever on Fridays.\n", skills.Stale},
		"an older text":    {strings.Replace(text, "# Rules", "An older sentence.\n\n# Rules", 1), skills.Stale},
		"without the mark": {mark.ReplaceAllString(text, ""), skills.Foreign},
		"the mark quoted":  {"---\nname: hindsql-rules\ndescription: mine\n---\nmine\n" + mark.FindString(text), skills.Foreign},
		"of another hand":  {"---\nname: hindsql-rules\ndescription: mine\n---\nmine\n", skills.Foreign},
		"no frontmatter":   {"mine", skills.Foreign},
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "hindsql-rules", skills.File)
		if c.text != "" {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Look(folder, agents)
		if err != nil || got.State != c.want || got.Path != path {
			t.Errorf("%s: %v %q, want %q", name, err, got.State, c.want)
		}
	}
}

// TestWriteAndRemove: a new file has the mode of its place, and an existing file keeps
// its mode. Remove also deletes empty folders, up to top.
func TestWriteAndRemove(t *testing.T) {
	for _, c := range []struct {
		shared bool
		want   os.FileMode
	}{{false, 0o600}, {true, 0o644}} {
		top := t.TempDir()
		p, err := skills.Named("hindsql").Look(filepath.Join(top, ".x", "skills"), agents)
		if err == nil {
			err = p.Write(agents, c.shared)
		}
		if err != nil {
			t.Fatal(err)
		}
		posix.Mode(t, p.Path, c.want)
		if err := os.Chmod(p.Path, 0o640); err != nil {
			t.Fatal(err)
		}
		if err := p.Write(agents, c.shared); err != nil {
			t.Fatal(err)
		}
		posix.Mode(t, p.Path, 0o640) // as before
		if err := p.Remove(top); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(top); err != nil || len(left) != 0 {
			t.Errorf("%v %v is left", err, left)
		}
	}
}

// TestRemoveLeavesOthers: Remove keeps links to folders.
func TestRemoveLeavesOthers(t *testing.T) {
	posix.Links(t)
	top := t.TempDir()
	folder, real := filepath.Join(top, "skills"), filepath.Join(top, "dotfiles")
	if err := os.MkdirAll(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, folder); err != nil {
		t.Fatal(err)
	}
	p, _ := skills.Named("hindsql").Look(folder, agents)
	if err := p.Write(agents, false); err != nil {
		t.Fatal(err)
	}
	if err := p.Remove(top); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(folder); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v: the link is gone", err)
	}
	if left, err := os.ReadDir(real); err != nil || len(left) != 0 {
		t.Errorf("%v %v is left", err, left)
	}
}
