package prompt

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/render"
	"hindsql/tables"
)

// copying is what a \copy asks for.
type copying struct {
	what    string // a table, or a query in parentheses
	out     bool   // into the target, not from it
	target  string // a path, or a command line
	kind    string // of the target: program, stdout; empty for a file
	options string // as COPY has them
}

var (
	copyWay    = regexp.MustCompile(`(?i)^\s(to|from)\s+(program\s+)?`)
	copyTarget = regexp.MustCompile(`^('(?:[^']|'')*'|\S+)\s*`)
)

// copyArgs reads the argument of \copy: what TO target options.
func copyArgs(args string) (c copying, ok bool) {
	depth, quote := 0, rune(0)
	for i, r := range args {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
			continue
		case r == '\'' || r == '"':
			quote = r
		case r == '(':
			depth++
		case r == ')':
			depth--
		}
		way := copyWay.FindStringSubmatch(args[i:])
		if depth != 0 || way == nil {
			continue
		}
		rest := args[i+len(way[0]):]
		target := copyTarget.FindStringSubmatch(rest)
		if target == nil {
			return c, false
		}
		c = copying{what: strings.TrimSpace(args[:i]), out: strings.EqualFold(way[1], "to"), target: target[1], options: rest[len(target[0]):]}
		switch {
		case way[2] != "":
			c.kind = "program"
		case strings.EqualFold(c.target, "stdout"), strings.EqualFold(c.target, "pstdout"):
			c.kind = "stdout"
		}
		if path := c.target; path[0] == '\'' {
			c.target = strings.ReplaceAll(strings.Trim(path, "'"), "''", "'")
		}
		return c, c.what != ""
	}
	return c, false
}

// copyRows does what psql's \copy does: it has DuckDB write a file, or read one into
// a table of the user's. A program and standard output get CSV.
func copyRows(ctx context.Context, r *runner, args string) error {
	c, ok := copyArgs(args)
	switch {
	case !ok || c.kind != "" && !c.out:
		return usage(".copy")
	case c.kind == "program":
		return r.sink.pipeTo(c.target, func(to *render.Output) error { return copyCSV(ctx, r, to, c) })
	case c.kind == "stdout":
		return r.sink.deliver(func(to *render.Output) error { return copyCSV(ctx, r, to, c) })
	}
	path := r.long(c.target)
	if c.out && c.options == "" && filepath.Ext(path) == "" {
		c.options = "(FORMAT csv)"
	}
	way := map[bool]string{true: " TO ", false: " FROM "}[c.out]
	return r.show(ctx, func(ctx context.Context, to *render.Output) error {
		return r.View.Session.Run(ctx, ask.Instead("COPY ", c.what, way+tables.Quote(path)+" "+c.options), func(*ask.Answer) error { return nil })
	})
}

func copyCSV(ctx context.Context, r *runner, to *render.Output, c copying) error {
	if c.options != "" {
		return fmt.Errorf(".copy: options are for files; write TO FILE %s", c.options)
	}
	to.Format = "csv"
	sql := c.what
	if !strings.HasPrefix(sql, "(") {
		sql = "FROM " + sql
	}
	return r.View.Query(ctx, to, ask.Typed(sql))
}
