// Package spelling says which spellings of a path mean the same folder. Windows and macOS
// ignore the case of letters. macOS also takes é for e with an accent: a decomposed
// letter. Agents write the path as a program named it, so one folder may have several
// spellings in logs.
//
// In: a system, paths. Out: folded paths, which are equal for spellings of a folder, and
// the same in SQL. The package looks at no file system: existing folders have a real
// path, see [hindsql/internal/atomicfile.Real].
package spelling

import (
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Rule says which differences between paths mean nothing. The zero Rule keeps all.
type Rule struct {
	Caseless   bool // A is a
	Decomposed bool // é is e with an accent
	Slashes    bool // / is \
}

// Of returns the rule of a system, named as in [runtime.GOOS]. Disks may differ: macOS
// can have disks that keep case. Then two folders count as one.
func Of(system string) Rule {
	return Rule{Caseless: system == "windows" || system == "darwin", Decomposed: system == "darwin", Slashes: system == "windows"}
}

// Here is the rule of this machine.
func Here() Rule { return Of(runtime.GOOS) }

// Fold returns a path in the spelling that all spellings of its folder share.
func (r Rule) Fold(path string) string {
	if r.Caseless {
		path = strings.ToLower(path)
	}
	if r.Decomposed {
		path = norm.NFC.String(path)
	}
	if r.Slashes {
		path = strings.ReplaceAll(path, "/", `\`)
	}
	return path
}

// SQL returns an expression of DuckDB's that folds the path in another expression.
func (r Rule) SQL(path string) string {
	if r.Caseless {
		path = fmt.Sprintf("lower(%s)", path)
	}
	if r.Decomposed {
		path = fmt.Sprintf("nfc_normalize(%s)", path)
	}
	if r.Slashes {
		path = fmt.Sprintf(`replace(%s, '/', '\')`, path)
	}
	return path
}

// IsBelow reports whether a path is a folder or lies below it. Both are absolute.
func (r Rule) IsBelow(path, folder string) bool {
	rest, ok := strings.CutPrefix(r.Fold(path), strings.TrimRight(r.Fold(folder), `/\`))
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '\\')
}
