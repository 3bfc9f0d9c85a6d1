package chart

import (
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/sqltext"
)

// OfSQL returns the declaration for typed SQL. A comment in the SQL declares the chart
// as in the header of a saved query: "-- chart line label=day value=n:count". A comment
// that isn't a whole declaration makes [Declaration.Wrong]. Without such a comment, the
// rule chooses the columns, and Sums has those that the statement sums or counts. OfSQL
// returns nil for SQL without either, and for several statements.
func OfSQL(sql string) *Declaration {
	list := sqltext.Statements(sql)
	if len(list) != 1 {
		return nil // of several results, each would need its own
	}
	for t := range sqltext.Tokens(list[0].Text) {
		if d := parseComment(t.Text); t.Kind == sqltext.Comment && d != nil {
			return d
		}
	}
	if sums := sumsOf(sqltext.CodeOf(list[0].Text)); len(sums) > 0 {
		return &Declaration{Sums: sums}
	}
	return nil
}

// parseComment returns the declaration in a comment; nil for any other comment.
func parseComment(comment string) *Declaration {
	rest, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment, "--")), "chart ")
	kind, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if !ok || !slices.Contains([]Kind{Bar, Line, "hist"}, Kind(kind)) {
		return nil
	}
	d, err := Parse(rest)
	if err != nil {
		return &Declaration{Wrong: err}
	}
	return d
}

// unsure lists words in a statement whose groups may lack rows or hold them twice, so a
// missing day isn't known to be 0.
var unsure = sqltext.WordSet("having qualify distinct union intersect except rollup cube grouping sample tablesample pivot unpivot")

// sumsOf returns the indexes of the columns that a SELECT sums or counts: sum(x),
// count(*), round(sum(x) / 1000, 1). A count of distinct values is no sum.
func sumsOf(code sqltext.Code) (sums []int) {
	code.Drop(";")
	depth, begin, end, order := 0, -1, -1, -1
	limited := false
	for i, t := range code {
		word := t.Word()
		switch {
		case word == "(" || word == "[" || word == "{":
			depth++
		case word == ")" || word == "]" || word == "}":
			depth--
		case depth > 0 && word == "limit" || depth == 0 && unsure[word]:
			return nil
		case depth > 0:
		case word == "select":
			begin, end = i+1, -1
		case begin >= 0 && end < 0 && ends[word]:
			end = i
		}
		if depth == 0 {
			limited = limited || word == "limit" || word == "fetch" || word == "offset"
			if word == "order" && code.At(i+1).Word() == "by" {
				order = i + 2
			}
		}
	}
	if begin < 0 {
		return nil
	}
	if end < 0 {
		end = len(code)
	}
	items := splitCommas(code[begin:end])
	for i, item := range items {
		if item.At(0).Word() == "*" || slices.ContainsFunc(item, func(t sqltext.Token) bool { return t.Word() == "columns" }) {
			return nil // stands for any number of columns
		}
		if isSum(item) {
			sums = append(sums, i)
		}
	}
	if limited && !ordered(code, order, items, sums) {
		return nil
	}
	return sums
}

// ends lists the words that end the columns of a SELECT.
var ends = sqltext.WordSet("from where group order limit window fetch offset using")

// splitCommas splits code at the commas outside of brackets.
func splitCommas(code sqltext.Code) (parts []sqltext.Code) {
	depth, from := 0, 0
	for i, t := range code {
		switch t.Word() {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 0 {
				parts, from = append(parts, code[from:i]), i+1
			}
		}
	}
	return append(parts, code[from:])
}

// isSum reports whether a column is a sum or a count, maybe rounded, cast, and times or
// by a number.
func isSum(item sqltext.Code) bool {
	item = withoutName(item)
	switch name := item.At(0).Word(); {
	case item.At(1).Word() != "(":
		return false
	case name == "round" || name == "coalesce" || name == "ifnull":
		inside, rest := cutBrackets(item[1:])
		return len(rest) == 0 && isSum(splitCommas(inside)[0])
	case name == "count" || name == "sum":
		inside, rest := cutBrackets(item[1:])
		if rest.Skip("filter") {
			_, rest = cutBrackets(rest)
		}
		for len(rest) == 2 && (rest[0].Word() == "/" || rest[0].Word() == "*") && rest[1].Kind == sqltext.Number {
			rest = nil
		}
		return len(rest) == 0 && inside.At(0).Word() != "distinct"
	}
	return false
}

// withoutName returns a column's expression without its name and without a cast at its end.
func withoutName(item sqltext.Code) sqltext.Code {
	if n := len(item); n > 1 && item[n-1].Name() != "" {
		switch before := item[n-2]; {
		case before.Word() == "as":
			item = item[:n-2]
		case before.Word() == ")" || before.Kind == sqltext.Number || before.Kind == sqltext.Word:
			item = item[:n-1]
		}
	}
	if n := len(item); n > 3 && item[n-3].Word() == ":" && item[n-2].Word() == ":" {
		item = item[:n-3]
	}
	return item
}

// cutBrackets returns the code inside the brackets at the beginning of code, and the code
// behind them.
func cutBrackets(code sqltext.Code) (inside, rest sqltext.Code) {
	if end := code.ClosingBracket(0); end >= 0 {
		return code[1:end], code[end+1:]
	}
	return nil, code
}

// ordered reports whether a statement's first order, at an index of the code, is by a
// column that is no sum. Then a limit leaves out the last days, not the lowest.
func ordered(code sqltext.Code, at int, items []sqltext.Code, sums []int) bool {
	key := code.At(at)
	if at < 0 || key.Kind != sqltext.Number && key.Name() == "" {
		return false
	}
	for i, item := range items {
		named := item.At(len(item) - 1).Name()
		if key.Text == strconv.Itoa(i+1) || key.Name() != "" && key.Name() == named {
			return !slices.Contains(sums, i)
		}
	}
	return false
}
