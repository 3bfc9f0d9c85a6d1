package complete

import (
	"context"
	"slices"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// relation is a table that a statement itself makes and names: a common table
// expression, a query in brackets with an alias, a call of a function that gives rows.
// DuckDB tells its columns.
type relation struct {
	names []string // in small letters
	sql   string   // a query with the relation's columns
	with  bool     // a common table expression, usable after FROM
}

// relations returns the relations of a statement, without unfinished relations.
func relations(statement string) []relation {
	code := sqltext.CodeOf(statement)
	list, with := tableExpressions(statement, code)
	for i, word := range code {
		end, next := -1, code.At(i+1).Word()
		if next == "(" && isTableMacro(word.Name()) {
			end = code.ClosingBracket(i + 1)
		} else if word.Word() == "(" && slices.Contains([]string{"select", "from", "values"}, next) {
			end = code.ClosingBracket(i)
		}
		if end < 0 {
			continue
		}
		r := relation{sql: with + " FROM " + statement[word.At:code[end].End()]}
		if name := word.Name(); name != "" {
			r.names = append(r.names, name)
		}
		if name := aliasAt(code, end+1); name != "" {
			r.names = append(r.names, name)
		}
		if len(r.names) > 0 {
			list = append(list, r)
		}
	}
	return list
}

// aliasAt returns the alias at position i, with or without AS before it; empty if a
// keyword or no name is there.
func aliasAt(code sqltext.Code, i int) string {
	if code.At(i).Word() == "as" {
		i++
	}
	if slices.Contains(afterTable, code.At(i).Word()) {
		return ""
	}
	return code.At(i).Name()
}

func isTableMacro(name string) bool {
	return slices.ContainsFunc(tables.Macros(), func(m tables.Macro) bool { return m.ReturnsRows && m.Name == name })
}

// tableExpressions returns a statement's common table expressions, with their aliases;
// with is the text of the outermost WITH.
func tableExpressions(statement string, code sqltext.Code) (list []relation, with string) {
	for i := range code {
		if code[i].Word() != "with" {
			continue
		}
		from := code[i].At
		for at := i + 1; at < len(code); {
			name, end := tableExpression(code, at)
			if end < 0 {
				break
			}
			text := statement[from:code[end].End()]
			if i == 0 {
				with = text
			}
			list = append(list, relation{append([]string{name}, aliasesOf(code, name)...), text + " FROM " + sqltext.Identifier(name), true})
			if code.At(end+1).Word() != "," {
				break
			}
			at = end + 2
		}
	}
	return list, with
}

// tableExpression reads name (columns) AS MATERIALIZED (query) at a position. end is the
// place of the last bracket. It is -1 if the code has another form there, or the
// bracket is missing.
func tableExpression(code sqltext.Code, at int) (name string, end int) {
	if code.At(at).Word() == "recursive" {
		at++
	}
	name = code.At(at).Name()
	if at++; code.At(at).Word() == "(" { // the columns' names
		if at = code.ClosingBracket(at); at < 0 {
			return name, -1
		}
		at++
	}
	for slices.Contains([]string{"as", "not", "materialized"}, code.At(at).Word()) {
		at++
	}
	if name == "" || code.At(at).Word() != "(" {
		return name, -1
	}
	return name, code.ClosingBracket(at)
}

// aliasesOf returns the aliases of a table in a statement.
func aliasesOf(code sqltext.Code, table string) (list []string) {
	for i, word := range code {
		if word.Name() != table || !slices.Contains([]string{"from", "join", ","}, code.At(i-1).Word()) {
			continue
		}
		if name := aliasAt(code, i+1); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// columnsOfQuery returns the columns that a query would have; nil if the query is
// wrong, is not allowed, or takes long. The query is bound and not run.
func (w *Completer) columnsOfQuery(ctx context.Context, query string) []string {
	if list, ok := w.described[query]; ok {
		return list
	}
	ctx, stop := context.WithTimeout(ctx, lookUp)
	defer stop()
	list := w.source.Describe(ctx, query)
	if w.described == nil || len(w.described) >= mostDescribed {
		w.described = map[string][]string{}
	}
	w.described[query] = list
	return list
}

// mostDescribed is the number of queries remembered for the next Tab. While a user
// types, most queries stay the same.
const mostDescribed = 100
