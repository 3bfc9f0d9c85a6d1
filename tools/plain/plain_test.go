package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestComments: blocks of a comment are split into sentences of nine words or more, with
// their lines; directives and code are left out.
func TestComments(t *testing.T) {
	const file = `// Package x is nothing: one word.
//
// The reader returns the text
// that stands in a log. The second sentence has nine words, as is right here.
package x

//go:embed what that those who whose whom it its one
var a = 1 // the number of bytes that a reader may read at most, in kB
`
	passages, err := passagesOf("x.go", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range passages {
		for _, s := range p.sentences("x.go") {
			got = append(got, s.text)
			if s.folder() != "." || s.first > s.last || !strings.Contains(strings.Split(file, "\n")[s.first-1], strings.Fields(s.text)[0]) {
				t.Errorf("%q is in lines %d to %d", s.text, s.first, s.last)
			}
		}
	}
	want := []string{
		"The reader returns the text that stands in a log.",
		"The second sentence has nine words, as is right here.",
		"the number of bytes that a reader may read at most, in kB",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if share := (sentence{text: want[0]}).share(); share != 0.1 {
		t.Errorf("%.2f of the words point, of 10 words 1", share)
	}
}

// TestProse: items, cells and paragraphs are parted, and code is left out.
func TestProse(t *testing.T) {
	const page = "# What it is\n\nThe first paragraph has nine words in two\nlines, or ten.\n\n```sql\nSELECT what that those who whose whom it its one\n```\n\n    indented code with what that those who whose whom it its\n\n" +
		"- An item has nine words if one counts them well.\n- Another item with `what that it` as code and three more words.\n\n| a | The cell of a table has nine words or more |\n"
	var got []string
	for _, p := range prose(page) {
		for _, s := range p.sentences("x.md") {
			got = append(got, s.text)
			if !strings.Contains(strings.Split(page, "\n")[s.first-1], strings.Fields(s.text)[0]) {
				t.Errorf("%q isn't in line %d", s.text, s.first)
			}
		}
	}
	if len(got) != 4 || !strings.HasPrefix(got[1], "An item") || !strings.HasPrefix(got[3], "The cell") {
		t.Errorf("%q", got)
	}
}

// TestAdded: only sentences with an added line are listed, those of new files, too; a
// renamed file has none.
func TestAdded(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const old = "This is the old sentence with nine words in it.\n"
	write("a.md", old+"\n"+old)
	write("b.md", old)
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "x")
	git("mv", "b.md", "c.md")
	write("a.md", old+"\nThis is the new sentence with nine words in it.\n")
	write("d.md", "This is another new sentence with nine words in it.\n")
	list, err := read(nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err = added(list, "HEAD")
	if err != nil || len(list) != 2 || list[0].file != "a.md" || list[0].first != 3 || list[1].file != "d.md" {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := added(list, "nothing"); err == nil {
		t.Error("an unknown commit is no error")
	}
}
