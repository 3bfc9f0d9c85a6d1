package queries

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/pattern"
)

// shared lists the parameters for "-- takes".
var shared = []Param{
	{Name: "since", Type: "TIMESTAMPTZ", Default: "NULL", Doc: "first moment counted"},
	{Name: "until", Type: "TIMESTAMPTZ", Default: "NULL", Doc: "first moment no longer counted"},
	{Name: "agent", Type: "VARCHAR", Default: "NULL", Doc: "one agent only"},
	{Name: "project", Type: "VARCHAR", Default: "NULL", Doc: "part of the project's folder, in any case"},
}

// Shared returns the parameters that most queries take. agents are the values of agent.
func Shared(agents ...string) []Param {
	q := &Query{Params: slices.Clone(shared)}
	q.limitAgents(agents)
	return q.Params
}

// sharedParam returns the shared parameter with the given name.
func sharedParam(name string) (Param, bool) {
	at := slices.IndexFunc(shared, func(p Param) bool { return p.Name == name })
	if at < 0 {
		return Param{}, false
	}
	return shared[at], true
}

// takes reads a "-- takes" line: the names of parameters that most queries share.
func (p *parser) takes(s string, line int) {
	names := strings.Fields(s)
	if len(names) == 0 {
		p.fail(line, `"-- takes" is followed by names: %s`, sharedNames())
	}
	for _, name := range names {
		param, ok := sharedParam(name)
		param.line = line
		switch {
		case !ok:
			p.fail(line, `"-- takes" knows %s; declare %s with a line "-- param %s TYPE = default   what it is for"`, sharedNames(), name, name)
		case p.query.Param(name) != nil:
			p.fail(line, "parameter %s is declared twice", name)
		default:
			p.query.Params = append(p.query.Params, param)
		}
	}
}

func sharedNames() string {
	var names []string
	for _, p := range shared {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

var columnForm = pattern.Lazy(`^[\pL_][\pL\d_]*$`)

// card reads a "-- card" line: the columns to show if a row is printed as a block of
// lines, with | before each new line.
func (p *parser) card(s string, line int) {
	if p.query.Card != nil {
		p.fail(line, "a second card; one is enough")
	}
	for part := range strings.SplitSeq(s, "|") {
		names := strings.Fields(part)
		if len(names) == 0 {
			p.fail(line, `a card is written "-- card time tool | said": names of columns, and | where a new line begins`)
		}
		p.query.Card = append(p.query.Card, names)
	}
	p.checkNames("card", p.query.CardColumns(), line)
	p.query.cardLine = line
}

// hidden reads the columns that a table on a screen omits.
func (p *parser) hidden(s string, line int) {
	names := strings.Fields(s)
	switch {
	case p.query.Hidden != nil:
		p.fail(line, "a second hidden; name all columns in one line")
	case len(names) == 0:
		p.fail(line, `"-- hidden" is followed by names of columns`)
	}
	p.checkNames("hidden", names, line)
	p.query.Hidden, p.query.hiddenLine = names, line
}

func (p *parser) checkNames(key string, names []string, line int) {
	for i, name := range names {
		if !columnForm.MatchString(name) || within(names[:i], name) {
			p.fail(line, "%s: %s: columns are named with spaces between, each once", key, name)
		}
	}
}

// CardColumns lists the columns named in the query's "-- card" line, in order.
func (q *Query) CardColumns() []string { return slices.Concat(q.Card...) }

// CheckColumns returns an error if the result lacks a column named in the header. The
// result's columns are known only when the query runs.
func (q *Query) CheckColumns(names []string) error {
	for _, c := range []struct {
		key   string
		names []string
		line  int
	}{{"card", q.CardColumns(), q.cardLine}, {"hidden", q.Hidden, q.hiddenLine}} {
		for _, name := range c.names {
			if !within(names, name) {
				return fmt.Errorf("%s:%d: %s: no column %q; the result has %s", cmp.Or(q.Path, q.Name+".sql"), c.line, c.key, name, strings.Join(names, ", "))
			}
		}
	}
	return nil
}

// within reports whether a list contains a name, in any case.
func within(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}
