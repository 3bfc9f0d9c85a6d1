package git

import (
	"strings"
	"testing"
)

// TestSettings checks git's own syntax of configurations.
func TestSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                          "",
		"[core]\n\tworktree = ../a\n":               "core.worktree=../a",
		"[core] worktree=../a":                      "core.worktree=../a",
		"[CORE]\nWorkTree=a b  ; said\n":            "core.worktree=a b",
		"[core]\nworktree = a#b":                    "core.worktree=a",
		"[core]\nworktree = \"a#b ; c\" # d":        "core.worktree=a#b ; c",
		"[core]\nworktree = a\" b \"c":              "core.worktree=a b c",
		"[core]\nworktree = a\\\\b\\\"c\\td\\ne":    "core.worktree=a\\b\"c\td\ne",
		"[core]\nworktree = a\\\nb":                 "core.worktree=ab",
		"[core]\r\nworktree = é\r\nbare\r\n":        "core.worktree=é,core.bare",
		"\ufeff[core]bare=false":                    "core.bare=false",
		"# [core]\n; worktree = x\n[a]\nb = ":       "a.b=",
		"[core \"x\"]\nworktree = a":                "core.x.worktree=a",
		"[core \"a\\\"]b\"]\nc=d\n[core]\nbare=yes": "core.a\"]b.c=d,core.bare=yes",
		"[core]\nbare = no\nbare = true":            "core.bare=no,core.bare=true",
		"[core]\nworktree = \"a":                    "error",
		"[core]\nworktree = a\\x":                   "error",
		"[core\nworktree = a":                       "error",
		"[core]\n= a":                               "error",
		"[core]\nworktree a":                        "error",
	} {
		var found []string
		err := settings(text, func(section, key, value string, hasValue bool) {
			if hasValue {
				value = "=" + value
			}
			found = append(found, section+"."+key+value)
		})
		got := strings.Join(found, ",")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %s, want %s; %v", text, got, want, err)
		}
	}
}

// FuzzSettings checks that no text makes the reader hang or panic.
func FuzzSettings(f *testing.F) {
	f.Add("[core \"a\\\"\"]\nworktree = \"a\\\nb\" ; c\n")
	f.Fuzz(func(_ *testing.T, text string) {
		_ = settings(text, func(string, string, string, bool) {})
	})
}
