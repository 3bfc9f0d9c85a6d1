package html

import "testing"

// TestLexerOf checks the lexers for common names of files and languages.
func TestLexerOf(t *testing.T) {
	for name, want := range map[string]string{
		"go": "Go", "x.go": "Go", "/a/b/X.GO": "Go", `c:\a\b.ts`: "TypeScript", "a.tsx": "TypeScript", "a.js": "JavaScript", "a.py": "Python", "bash": "Bash", "a.sh": "Bash",
		"Dockerfile": "Docker", "Makefile": "Base Makefile", "a.h": "C", "a.md": "markdown", "a.yml": "YAML", "a.sql": "SQL", "sql": "SQL", "json": "JSON", "a.rs": "Rust",
		"a.toml": "TOML", "a.css": "CSS", "a.html": "HTML", "CMakeLists.txt": "CMake", "": "", "nothing": "", "a.nothing": "", ".": "",
	} {
		got := ""
		if l := lexerOf(name); l != nil {
			got = l.Config().Name
		}
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
