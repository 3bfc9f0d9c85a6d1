// Package attacks lists statements that end DuckDB, keep DuckDB busy, fill the memory,
// or read more than strangers may. Tests send each statement to each face of the
// program.
//
// Each statement was tried with DuckDB 1.5.5 in a process without bounds: class crash
// ended the process by SIGSEGV in 2 seconds; time ran for 12 seconds and more, mostly
// with no regard for the clock; memory passed 2.4 GB; names gave settings, paths or
// inner tables, or reached DuckDB's file system.
package attacks

import (
	"fmt"
	"strings"
)

// Attack is a statement.
type Attack struct {
	Class string // crash, time, memory or names: the harm to an unbounded DuckDB
	What  string
	SQL   string
}

// All returns the statements, class by class.
func All() []Attack {
	var all []Attack
	for _, class := range []struct {
		name string
		list [][2]string
	}{{"crash", crashes()}, {"time", times()}, {"memory", memories()}, {"names", names()}} {
		for _, a := range class.list {
			all = append(all, Attack{class.name, a[0], a[1]})
		}
	}
	return all
}

// deep returns the SQL of a text with n openings and as many closings.
func deep(open, closing string, n int) string {
	return fmt.Sprintf("(repeat('%s', %d) || repeat('%s', %d))", open, n, closing, n)
}

// nest puts n pairs around a text.
func nest(n int, open, inner, closing string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
}

// list joins n copies of a text. A # in the text becomes the copy's number.
func list(n int, separator, each string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ReplaceAll(each, "#", fmt.Sprint(i))
	}
	return strings.Join(all, separator)
}
