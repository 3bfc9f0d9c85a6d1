package sqltext

import "strings"

// Literal returns a text as an SQL string. A NUL, which would end DuckDB's parser, is
// inserted as chr(0).
func Literal(text string) string {
	quoted := "'" + strings.ReplaceAll(text, "'", "''") + "'"
	if strings.Contains(text, "\x00") {
		return "(" + strings.ReplaceAll(quoted, "\x00", "' || chr(0) || '") + ")"
	}
	return quoted
}

// Literals returns texts as SQL strings with commas between them.
func Literals(texts []string) string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = Literal(text)
	}
	return strings.Join(list, ", ")
}

// Identifier returns a name in quotes, valid in SQL for any name.
func Identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
