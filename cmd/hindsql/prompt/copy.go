package prompt

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/sqltext"
)

// copying holds the parsed argument of a \copy.
type copying struct {
	what    string // a table, or a query in parentheses
	out     bool   // TO (true) or FROM (false) the target
	target  string // a path or a command line
	kind    string // kind of the target: program or stdout; empty for a file
	options string // in COPY's syntax
}

// copyArgs parses the argument of \copy: a table or query, TO or FROM, a target,
// options. ok is false if the argument is malformed.
func copyArgs(args string) (c copying, ok bool) {
	depth, before := 0, sqltext.Token{Kind: sqltext.Sign}
	for t := range sqltext.Tokens(args) {
		switch word := t.Word(); {
		case word == "(":
			depth++
		case word == ")":
			depth--
		case depth == 0 && before.Kind == sqltext.Space && (word == "to" || word == "from"):
			c.what, c.out = strings.TrimSpace(args[:t.At]), word == "to"
			ok = c.into(args[t.End():])
			return c, ok && c.what != ""
		}
		before = t
	}
	return c, false
}

// into parses the text after TO or FROM. A target without quotes ends at the first
// space.
func (c *copying) into(text string) (ok bool) {
	first, rest := cutTarget(text)
	if strings.EqualFold(first, "program") && rest != "" {
		c.kind = "program"
		first, rest = cutTarget(rest)
	}
	c.target, c.options = first, rest
	switch {
	case first == "":
		return false
	case first[0] == '\'':
		c.target = strings.ReplaceAll(strings.Trim(first, "'"), "''", "'")
	case c.kind == "" && (strings.EqualFold(first, "stdout") || strings.EqualFold(first, "pstdout")):
		c.kind = "stdout"
	}
	return true
}

func cutTarget(text string) (target, rest string) {
	text = strings.TrimSpace(text)
	n := strings.IndexAny(text, " \t\r\n\f")
	if t := sqltext.First(text); t.Kind == sqltext.String && t.Text[0] == '\'' && !t.Open {
		n = len(t.Text)
	}
	if n < 0 {
		n = len(text)
	}
	return text[:n], strings.TrimSpace(text[n:])
}

// copyRows does what psql's \copy does. For a file, DuckDB writes the rows to the file,
// or reads the file into a table of the user's. A program or standard output gets the
// rows as CSV.
func copyRows(ctx context.Context, r *runner, args string) error {
	c, ok := copyArgs(args)
	switch {
	case !ok || c.kind != "" && !c.out:
		return usage(".copy")
	case c.kind == "program":
		return r.sink.pipeTo(c.target, func(to *term.Output) error { return copyCSV(ctx, r, to, c) })
	case c.kind == "stdout":
		return r.sink.deliver(func(to *term.Output) error { return copyCSV(ctx, r, to, c) })
	}
	path := r.long(c.target)
	if c.out && c.options == "" && filepath.Ext(path) == "" {
		c.options = "(FORMAT csv)"
	}
	way := map[bool]string{true: " TO ", false: " FROM "}[c.out]
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		return r.View.Session.Run(ctx, ask.Instead("COPY ", c.what, way+sqltext.Literal(path)+" "+c.options), func(*ask.Answer) error { return nil })
	})
}

func copyCSV(ctx context.Context, r *runner, to *term.Output, c copying) error {
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
