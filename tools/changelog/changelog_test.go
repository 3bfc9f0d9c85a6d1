package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRelease: a release joins the files below Unreleased, grouped, and removes them.
func TestRelease(t *testing.T) {
	folder := t.TempDir()
	unreleased := filepath.Join(folder, "docs", "changelog", "unreleased")
	if err := os.MkdirAll(unreleased, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	page := func() string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(folder, "CHANGELOG.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const old = "# Changes\n\n## Unreleased\n\nA file a change.\n\n## 1.0.0 (2026-01-01)\n\n- One.\n"
	write("CHANGELOG.md", old)
	wrong := func(version string) {
		t.Helper()
		if err := release(folder, version, "2026-02-01"); err == nil || page() != old {
			t.Errorf("%q: %v\n%s", version, err, page())
		}
	}
	wrong("1.1.0") // no files
	write("docs/changelog/unreleased/fixed-b.md", "B is\nright.\n")
	write("docs/changelog/unreleased/new-a.md", "A, see [web](/docs/web.md).\n")
	write("docs/changelog/unreleased/fixed-a.md", "A is right.\n")
	wrong("")
	wrong("v1.1.0")
	wrong("1.0.0")
	write("docs/changelog/unreleased/other-a.md", "C.\n")
	wrong("1.1.0")
	if err := os.Remove(filepath.Join(unreleased, "other-a.md")); err != nil {
		t.Fatal(err)
	}
	if err := release(folder, "1.1.0", "2026-02-01"); err != nil {
		t.Fatal(err)
	}
	const want = "# Changes\n\n## Unreleased\n\nA file a change.\n\n## 1.1.0 (2026-02-01)\n\n### New\n\n- A, see [web](docs/web.md).\n\n### Fixed\n\n- A is right.\n- B is\n  right.\n\n## 1.0.0 (2026-01-01)\n\n- One.\n"
	if got := page(); got != want {
		t.Errorf("%s", got)
	}
	if left, err := os.ReadDir(unreleased); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestStart checks that README says how to build hindsql while there is no release, and
// afterwards how to install it.
func TestStart(t *testing.T) {
	page := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, start, _ := strings.Cut(page("README.md"), "\n## Start\n")
	start, _, _ = strings.Cut(start, "\n## ")
	if !startFits(page("CHANGELOG.md"), start) {
		t.Error("README.md, Start: if CHANGELOG.md has a release, take the lines out of the comment, and the paragraph and lines before away; and see the first lines of docs/install.md")
	}
	if startFits("## Unreleased\n", start) == startFits("## 1.0.0 (2026-12-24)\n", start) {
		t.Error("README.md, Start: a release makes no difference")
	}
}

// startFits reports whether the visible part of README's Start shows installation if and
// only if there is a release.
func startFits(changes, start string) bool {
	released := regexp.MustCompile(`(?m)^## \d+\.\d+\.\d+ \(`).MatchString(changes)
	visible := regexp.MustCompile(`(?s)<!--.*?-->`).ReplaceAllString(start, "")
	return strings.Contains(visible, "npx hindsql") == released && strings.Contains(visible, "no release yet") != released && strings.Contains(start, "npx hindsql")
}
