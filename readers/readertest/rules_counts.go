package readertest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"hindsql/tables"
)

func countRules() []rule {
	return []rule{
		{name: "absurd counts", shapes: files, check: absurdCounts,
			why: "a count that is negative, too large to be true, or no number is null and one problem more, which names the line: sums of such ended every load"},
	}
}

// absurd lists values that a damaged or forged log may have for a number.
var absurd = []string{"9000000000000000000", "-9000000000000000000", "1e400", "1099511627777", `"many"`, "NaN", "99999999999999999999999999"}

var numberOfKey = regexp.MustCompile(`"([A-Za-z_]+)"\s*:\s*(-?[0-9][0-9.eE+-]*)`)

// absurdCounts replaces all numbers under one key by absurd values, for each key in
// turn.
func absurdCounts(l *log) error {
	keys := map[string]bool{}
	for _, m := range numberOfKey.FindAllSubmatch(l.data, -1) {
		keys[string(m[1])] = true
	}
	before := l.load(l.data).rows
	for i, key := range slices.Sorted(maps.Keys(keys)) {
		for _, n := range []string{absurd[0], absurd[1+i%(len(absurd)-1)]} {
			instead := regexp.MustCompile(`("` + key + `"\s*:\s*)-?[0-9][0-9.eE+-]*`)
			after := l.load(instead.ReplaceAll(l.data, []byte("${1}"+n)))
			if err := soundCounts(before, after); err != nil {
				return fmt.Errorf("%s in the place of each %q: %w", n, key, err)
			}
		}
	}
	return nil
}

func soundCounts(before map[string][]tables.Row, r read) error {
	if err := panicked(r.events); err != nil {
		return err
	}
	more := len(r.rows["problems"]) - len(before["problems"])
	for _, t := range tables.All() {
		for _, column := range tables.Counted(t.Name) {
			for _, row := range r.rows[t.Name] {
				if n, ok := row[column].(int64); ok && (n < 0 || n > tables.MostCounted) {
					return fmt.Errorf("%s.%s is %d", t.Name, column, n)
				}
			}
			if lost := nulls(r.rows[t.Name], column) - nulls(before[t.Name], column); lost > 0 && more <= 0 && strings.HasSuffix(column, "_tokens") {
				return fmt.Errorf("%s.%s is null in %d rows more, and there is no problem more", t.Name, column, lost)
			}
		}
	}
	return nil
}

func nulls(rows []tables.Row, column string) (n int) {
	for _, row := range rows {
		if row[column] == nil {
			n++
		}
	}
	return n
}
