package report

import (
	"slices"
	"strings"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Limits for texts in a document for people, in letters. JSON has all of each text.
const (
	mostInCell = 300
	mostOnCard = 1000
)

// cutNote stands below a table with cut texts.
const cutNote = "Texts with … are cut; --format json has them whole."

// brief returns a result with each text on one line, and with long texts cut. Diffs stay
// whole. cut is the note to write below the result; empty if nothing is cut.
func brief(r *result.Set) (short *result.Set, cut string) {
	short = &result.Set{Columns: r.Columns}
	for _, row := range r.Rows {
		row = slices.Clone(row)
		for i, v := range row {
			text, ok := v.(string)
			if !ok || r.Columns[i].Type != "VARCHAR" || isDiff(r.Columns[i]) {
				continue
			}
			line := words.Line(text, mostInCell)
			if strings.HasSuffix(line, "…") && !strings.HasSuffix(text, "…") {
				cut = cutNote
			}
			row[i] = line
		}
		short.Rows = append(short.Rows, row)
	}
	return short, cut
}

// isDiff reports whether a column holds diffs, by its name.
func isDiff(c result.Column) bool { return strings.HasSuffix(c.Name, "diff") }

// onCard returns a text of a card, cut if it is long.
func onCard(text string) string {
	short, _ := words.CutTold(text, mostOnCard, words.Letters)
	return short
}
