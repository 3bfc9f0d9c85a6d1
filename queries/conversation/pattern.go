package conversation

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"hindsql/internal/sqltext"
)

// quotedPattern returns a regular expression as an SQL literal. NUL is escaped, because
// SQL texts can't contain NUL.
func quotedPattern(expression string) string {
	return sqltext.Literal(strings.ReplaceAll(expression, "\x00", `\x00`))
}

// escapes maps characters to their short escapes in JSON.
var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}

// inJSON returns a regular expression that finds a text in JSON. Agents write some
// characters plain or escaped: < as \u003c, / as \/, é as \u00e9.
func inJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch escape, ok := escapes[r]; {
		case ok:
			b.WriteString(regexp.QuoteMeta(escape))
		case r == '/':
			b.WriteString(`\\?/`)
		case strings.ContainsRune("<>&'", r), r >= utf8.RuneSelf, r < ' ':
			b.WriteString("(?:" + regexp.QuoteMeta(string(r)) + "|" + codeOf(r) + ")")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return b.String()
}

// codeOf returns a regular expression for a character's \u escape: two escapes beyond
// U+FFFF.
func codeOf(r rune) string {
	code := ""
	for _, unit := range utf16.Encode([]rune{r}) {
		code += fmt.Sprintf(`\\u%04x`, unit)
	}
	return code
}
