package confined_test

import (
	"fmt"
	"strings"
	"testing"

	"hindsql/engine"
	"hindsql/engine/scope"
	"hindsql/internal/spelling"
	"hindsql/internal/sqltext"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// TestScopeSpelling: sessions of a folder are in scope in all spellings that the system
// takes for the folder.
func TestScopeSpelling(t *testing.T) {
	whole.Test(t, "asks under three systems, 0.9 s of processor time")
	t.Parallel()
	h := newHome(t)
	for name, project := range map[string]string{
		"a": "/w/Caf\u00e9/x", "b": "/w/caf\u00e9", "c": "/W/cafe\u0301", "d": `c:\W\x`, "e": "/w/caf\u00e9s",
	} {
		h.Write(name+".jsonl", fmt.Sprintf("{\"session\":%q,\"project\":%q}\n", name, project), line(1, ""))
	}
	h.Sync()
	for system, want := range map[string]string{"linux": "a", "windows": "a b d", "darwin": "a b c"} {
		folders := &scope.Folders{Paths: []string{"/w/Caf\u00e9/", "C:/w"}, Rule: spelling.Of(system), Worktrees: func() tables.Worktrees { return nil }}
		s := open(t, safely(h.Config(), engine.Safe{Scope: folders}))
		if got := strings.Join(rows(t, s, "SELECT session_id FROM sessions ORDER BY ALL"), " "); got != want {
			t.Errorf("%s: %s are in scope, want %s", system, got, want)
		}
	}
}

// TestSpellingInSQL: SQL folds a path as Go does.
func TestSpellingInSQL(t *testing.T) {
	t.Parallel()
	s := newHome(t).Open()
	for _, system := range []string{"linux", "windows", "darwin"} {
		for _, path := range []string{`C:/Work\Caf` + "\u00e9", "/w/CAFE\u0301", "/w/\u00c4\u01c5\u03a3", "/w/\u1112\u1161\u11ab", ""} {
			rule := spelling.Of(system)
			if got := rows(t, s, "SELECT "+rule.SQL(sqltext.Literal(path))); got[0] != rule.Fold(path) {
				t.Errorf("%s: %q is %q in SQL, %q in Go", system, path, got[0], rule.Fold(path))
			}
		}
	}
}

// TestInProject: a project is found in any case, by slashes or backslashes, and with
// composed or decomposed letters.
func TestInProject(t *testing.T) {
	t.Parallel()
	s := newHome(t).Open()
	for _, part := range []string{`C:\Users\Ada\Work\Caf` + "\u00e9", "C:/Users/Ada/Work", `c:\users`, "cafe\u0301", "CAF\u00c9", `ada/work\caf`} {
		if got := rows(t, s, "SELECT in_project('C:\\Users\\Ada\\Work\\Caf\u00e9', "+sqltext.Literal(part)+")"); got[0] != "true" {
			t.Errorf("%s finds nothing", part)
		}
	}
	if got := rows(t, s, `SELECT in_project('C:\Users\Ada', 'C:/Users/Ada/Work')`); got[0] != "false" {
		t.Error("a folder below finds the folder")
	}
}
