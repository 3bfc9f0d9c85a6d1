package queries

import (
	"regexp"
	"slices"
	"strings"
)

// reference is a place where SQL names a parameter.
type reference struct {
	name   string // empty for ? and $1
	offset int    // in bytes
}

// sqlToken matches what may hold a $ or ? that is no parameter, then
// parameters: comments, strings with and without escapes, quoted names, names
// (which may hold a $), parameters.
var sqlToken = regexp.MustCompile(
	`--[^\n]*|(?s:/\*.*?\*/)|[eE]'(?:[^'\\]|\\(?s:.)|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|` +
		`[\pL_][\pL\d_$]*|\$[\pL_]*\$|\$[\pL_][\pL\d_]*|\$\d+|\?`)

// references lists the parameters that SQL names, in the order of the text.
func references(sql string) []reference {
	var refs []reference
	for at := 0; ; {
		m := sqlToken.FindStringIndex(sql[at:])
		if m == nil {
			return refs
		}
		start, end := at+m[0], at+m[1]
		token := sql[start:end]
		at = end
		switch {
		case token == "?" || isNumbered(token):
			refs = append(refs, reference{"", start})
		case token[0] != '$':
		case strings.HasSuffix(token, "$"): // $tag$ … $tag$ is a string
			if n := strings.Index(sql[end:], token); n >= 0 {
				at = end + n + len(token)
			}
		default:
			refs = append(refs, reference{token[1:], start})
		}
	}
}

func isNumbered(token string) bool {
	return len(token) > 1 && token[0] == '$' && token[1] >= '0' && token[1] <= '9'
}

// Used lists the names of the parameters that SQL names, each once, in the
// order of the text; an empty name stands for ? and $1.
func Used(sql string) []string {
	var names []string
	for _, ref := range references(sql) {
		if !slices.Contains(names, ref.name) {
			names = append(names, ref.name)
		}
	}
	return names
}
