package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"hindsql/tables"
)

// needs are the columns that a statement reads, by table of [tables.Queried]. A table
// without columns is read for its number of rows.
type needs map[string][]string

// everything returns all columns of all tables that a worker may hold.
var everything = sync.OnceValue(func() needs {
	n := needs{}
	for _, t := range tables.Queried() {
		n.add(t.Name, namesOfColumns(t.Columns)...)
	}
	return n
})

func namesOfColumns(columns []tables.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// add adds a table and some columns.
func (n needs) add(table string, columns ...string) {
	all := append(slices.Clone(n[table]), columns...)
	slices.Sort(all)
	n[table] = slices.Compact(all)
}

// without returns the needs that are missing in had; nil if nothing is missing.
func (n needs) without(had needs) (rest needs) {
	for table, columns := range n {
		held, is := had[table]
		missing := slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return slices.Contains(held, name) })
		if is && len(missing) == 0 {
			continue
		}
		if rest == nil {
			rest = needs{}
		}
		rest[table] = missing
	}
	return rest
}

// hasLong reports whether the needs have columns with long texts.
func (n needs) hasLong() bool {
	return slices.ContainsFunc(tables.Queried(), func(t *tables.Table) bool { return slices.ContainsFunc(n[t.Name], t.IsLong) })
}

// short returns the needs, but of the columns with long texts only the held ones.
func (n needs) short(held needs) needs {
	rest := maps.Clone(n)
	for _, t := range tables.Queried() {
		if columns, is := n[t.Name]; is {
			rest[t.Name] = slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return t.IsLong(name) && !slices.Contains(held[t.Name], name) })
		}
	}
	return rest
}

// plus returns the needs and those of a statement, as far as such tables and columns
// exist. A table whose columns are wanted for the second time gets all its short columns
// at once: each new column costs a copy of the table.
func (n needs) plus(more needs) needs {
	next := maps.Clone(n)
	if next == nil {
		next = needs{}
	}
	for _, t := range tables.Queried() {
		columns, wanted := more[t.Name]
		if !wanted {
			continue
		}
		_, again := next[t.Name]
		next.add(t.Name, keyColumns(t)...)
		for _, c := range t.Columns {
			if slices.Contains(columns, c.Name) || again && !t.IsLong(c.Name) {
				next.add(t.Name, c.Name)
			}
		}
	}
	return next
}

// keyColumns returns the columns by which rows of a table are replaced.
func keyColumns(t *tables.Table) []string {
	return slices.DeleteFunc([]string{"source_id", "message_index"}, func(name string) bool {
		return !slices.ContainsFunc(t.Columns, func(c tables.Column) bool { return c.Name == name })
	})
}

// mostAsked is how often a worker may ask for columns before it runs a statement. Once
// is enough, unless other statements end the worker.
const mostAsked = mostRuns * mostCopies

// satisfied makes a call until the worker lacks no columns for it. ask returns what the
// worker lacks, and gets the answer of the call before.
func (c *confined) satisfied(ctx context.Context, ask func(lacks needs) (*hired, needs, error)) error {
	var lacks needs
	for range mostAsked {
		w, more, err := ask(lacks)
		if lacks = more; err != nil || len(lacks) == 0 {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		w.began.Add(-1) // no statement ran
	}
	return errors.New("safe: the worker lacks rows that it was given; ask again")
}
