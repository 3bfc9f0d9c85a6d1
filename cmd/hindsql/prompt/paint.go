package prompt

import (
	"strings"

	"hindsql/internal/sqltext"
)

// Colours of the typed text, as terminal sequences. Results have the same colours.
const (
	paintKeyword = "\x1b[1m"
	paintComment = "\x1b[2m"
	paintString  = "\x1b[32m"
	paintNumber  = "\x1b[36m"
	paintEnd     = "\x1b[0m"
)

// keywords holds the coloured words of SQL, the words that shape a query.
var keywords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`all alter and anti any as asc asof attach begin between by case cast commit copy create cross
		delete desc describe detach distinct drop else end except exclude exists explain false filter following from full group having
		if ilike in inner insert install intersect interval into is join lateral left like limit load macro natural not null nulls
		offset on or order outer over partition pivot positional pragma preceding qualify range recursive rename replace reset returning
		right rollback row rows sample select semi set show similar summarize table temp temporary then to true unbounded union unpivot
		update use using values view when where window with`) {
		set[word] = true
	}
	return set
}()

// paint colours the typed text. It returns the text unchanged if colours are off.
func (r *reader) paint(text string) string {
	if !r.Color {
		return text
	}
	if r.in.buffer == "" && startsCommandWord(text) {
		name, rest, _ := strings.Cut(text, " ")
		return paintKeyword + name + paintEnd + text[len(text)-len(rest)-min(1, len(text)-len(name)):]
	}
	var b strings.Builder
	for token := range sqltext.Tokens(text) {
		color := ""
		switch token.Kind {
		case sqltext.Comment:
			color = paintComment
		case sqltext.String, sqltext.Dollar:
			color = paintString
		case sqltext.Number:
			color = paintNumber
		case sqltext.Word:
			if keywords[token.Word()] {
				color = paintKeyword
			}
		}
		if color == "" {
			b.WriteString(token.Text)
			continue
		}
		b.WriteString(color + token.Text + paintEnd)
	}
	return b.String()
}
