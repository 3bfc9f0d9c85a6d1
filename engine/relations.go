package engine

import (
	"context"
	"slices"
	"strings"

	"hindsql/tables"
)

// lexeme is a word or a sign of a statement, neither string nor comment.
type lexeme struct {
	text string // in small letters, a quoted name without its quotes
	at   int    // where it begins, in bytes
	end  int    // where it ends
}

func lexemes(sql string) []lexeme {
	var list []lexeme
	for i := 0; i < len(sql); {
		n, isCode := token(sql[i:])
		if word := sql[i : i+n]; isCode {
			list = append(list, lexeme{strings.ToLower(strings.Trim(word, `"`)), i, i + n})
		}
		i += n
	}
	return list
}

// closing is the place of the bracket that closes the one at i; -1 where the
// statement has none yet.
func closing(words []lexeme, i int) int {
	depth := 0
	for ; i < len(words); i++ {
		switch words[i].text {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// relation is what a statement itself makes, and names: a common table expression,
// a query in brackets with an alias, a call of a function that gives rows. DuckDB
// tells its columns.
type relation struct {
	names []string // in small letters
	sql   string   // a query with its columns
	with  bool     // it is a common table expression, which a FROM may name
}

// relations are those of a statement that are written to their end.
func relations(statement string) []relation {
	words := lexemes(statement)
	list, with := expressions(statement, words)
	for i, word := range words {
		end := -1
		if i+1 < len(words) && givesRows(word.text) && words[i+1].text == "(" {
			end = closing(words, i+1)
		} else if word.text == "(" && i+1 < len(words) && slices.Contains([]string{"select", "from", "values"}, words[i+1].text) {
			end = closing(words, i)
		}
		if end < 0 {
			continue
		}
		r := relation{sql: with + " FROM " + statement[word.at:words[end].end]}
		if word.text != "(" {
			r.names = append(r.names, word.text)
		}
		if name := aliasAt(words, end+1); name != "" {
			r.names = append(r.names, name)
		}
		if len(r.names) > 0 {
			list = append(list, r)
		}
	}
	return list
}

// aliasAt is the alias that stands at a place, behind AS or alone.
func aliasAt(words []lexeme, i int) string {
	if i < len(words) && words[i].text == "as" {
		i++
	}
	if i < len(words) && alias.MatchString(words[i].text) && !slices.Contains(afterTable, words[i].text) {
		return words[i].text
	}
	return ""
}

func givesRows(name string) bool {
	return slices.ContainsFunc(tables.Macros(), func(m tables.Macro) bool { return m.GivesRows && m.Name == name })
}

// expressions are the common table expressions of a statement, with their aliases
// in it; with is the text of those of the outermost WITH.
func expressions(statement string, words []lexeme) (list []relation, with string) {
	for i := range words {
		if words[i].text != "with" {
			continue
		}
		from := words[i].at
		for at := i + 1; at < len(words); {
			name, end := expression(words, at)
			if end < 0 {
				break
			}
			text := statement[from:words[end].end]
			if i == 0 {
				with = text
			}
			list = append(list, relation{append([]string{name}, aliasesOf(words, name)...), text + " FROM " + tables.Identifier(name), true})
			if at = end + 1; at >= len(words) || words[at].text != "," {
				break
			}
			at++
		}
	}
	return list, with
}

// expression reads name (columns) AS MATERIALIZED (query) at a place; end is the
// place of the last bracket, -1 for anything else.
func expression(words []lexeme, at int) (name string, end int) {
	if words[at].text == "recursive" {
		at++
	}
	if at >= len(words) {
		return "", -1
	}
	name = words[at].text
	for at++; at < len(words); at++ {
		switch words[at].text {
		case "as", "not", "materialized":
		case "(":
			if end = closing(words, at); end < 0 || words[at-1].text != name {
				return name, end
			}
			at = end // the columns' names
		default:
			return name, -1
		}
	}
	return name, -1
}

// aliasesOf are the aliases under which a statement names a table.
func aliasesOf(words []lexeme, table string) (list []string) {
	for i, word := range words {
		if word.text != table || i == 0 || !slices.Contains([]string{"from", "join", ","}, words[i-1].text) {
			continue
		}
		if name := aliasAt(words, i+1); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// columnsOfQuery gives the columns that a query would have; none where it is wrong,
// is not allowed, or takes long. It is bound and not run.
func (w *completer) columnsOfQuery(ctx context.Context, query string) []string {
	if list, ok := w.described[query]; ok {
		return list
	}
	ctx, stop := context.WithTimeout(ctx, lookUp)
	defer stop()
	if w.s.allowed(ctx, piece{text: query}) != nil {
		return nil
	}
	var list []string
	for _, c := range w.s.describe(ctx, query, nil) {
		list = append(list, c.Name)
	}
	if w.described == nil || len(w.described) >= mostDescribed {
		w.described = map[string][]string{}
	}
	w.described[query] = list
	return list
}

// mostDescribed queries are remembered for the next Tab: while one types, most stay
// as they are.
const mostDescribed = 100
