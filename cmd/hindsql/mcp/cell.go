package mcp

import (
	"encoding/json"
	"math/big"
	"strconv"
	"unicode/utf8"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// cell is a value in both forms of an answer: JSON and text.
type cell struct {
	value json.RawMessage
	text  string
	cut   bool
}

// cellOf returns the cell of a value. Numbers that JSON clients read exactly, true,
// false and null are plain JSON. All other values are texts, in which control
// characters are made visible. A text longer than most characters is cut, and ends with
// its full length.
func cellOf(v any, t *result.Type, most int) cell {
	if v == nil {
		return cell{value: json.RawMessage("null")}
	}
	text := t.MachineText(v)
	if _, is := v.(bool); is || t.IsNumber() && isExact(text) {
		return cell{value: json.RawMessage(text), text: text}
	}
	text, cut := words.CutTold(text, most, words.Letters)
	text = printable.Text(text)
	return cell{json.RawMessage(result.AppendString(nil, text)), text, cut}
}

// isExact reports whether every JSON client reads a number exactly. Many clients change
// integers above 2^53, and fractions with more digits than a DOUBLE has.
func isExact(text string) bool {
	if n, ok := new(big.Int).SetString(text, 10); ok {
		return n.BitLen() <= 53
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !json.Valid([]byte(text)) {
		return false
	}
	n, _ := new(big.Rat).SetString(text)
	read, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return n.Cmp(read) == 0
}

// row is a row in both forms of an answer: JSON and text.
type row struct {
	values []byte // a JSON array
	text   string // a line of a Markdown table
	cut    bool
}

// chars returns the row's characters in both forms.
func (r *row) chars() int { return utf8.RuneCount(r.values) + 1 + utf8.RuneCountInString(r.text) }

// rowOf returns a row. A cell has at most most characters, a text at most said, if that
// isn't 0.
func rowOf(values []any, types []result.Type, most, said int) row {
	r := row{values: []byte("[")}
	texts := make([]string, len(values))
	for i, v := range values {
		limit := most
		if said > 0 && types[i].Base == "VARCHAR" {
			limit = min(most, said)
		}
		c := cellOf(v, &types[i], limit)
		if i > 0 {
			r.values = append(r.values, ',')
		}
		r.values = append(r.values, c.value...)
		texts[i], r.cut = c.text, r.cut || c.cut
	}
	r.values = append(r.values, ']')
	r.text = term.MarkdownRow(texts)
	return r
}

// columnsOf returns the columns with control characters in their names made visible.
func columnsOf(columns []result.Column) []result.Column {
	shown := make([]result.Column, len(columns))
	for i, c := range columns {
		shown[i] = result.Column{Name: oneLine(c.Name), Type: oneLine(c.Type)}
	}
	return shown
}

// oneLine returns a name or a notice as one line of at most 200 characters.
func oneLine(text string) string {
	short, _ := words.CutTold(text, 200, words.Letters)
	return printable.Line(words.Signs(short))
}
