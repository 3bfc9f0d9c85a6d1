package tables

import (
	"fmt"
	"slices"
	"strings"
)

const isInferred = "is_inferred"

// isInferredDoc is what each table says of the column.
const isInferredDoc = "true when it is only inferred: evidence is inferred, text or wording, and confidence below 0.9"

// What nothing stamps stands apart, unless its kind was right in nine of ten.
const surelyInferred = 0.9

var unstamped = []string{EvidenceInferred, EvidenceText, EvidenceWording}

// isGuess says whether a row of such evidence and confidence stands apart.
func isGuess(evidence string, confidence float64) bool {
	return slices.Contains(unstamped, evidence) && confidence < surelyInferred
}

// GuessSQL is isGuess of SQL values, in the words of all engines. What isn't told how sure it is, is not.
func GuessSQL(evidence, confidence string) string {
	return fmt.Sprintf("(coalesce(%s IN ('%s'), false) AND coalesce(%s, 0) < %g)", evidence, strings.Join(unstamped, "', '"), confidence, surelyInferred)
}

// HasGuesses says whether the table holds rows that are only inferred, and column
// is_inferred to tell them.
func (t *Table) HasGuesses() bool { return t.has(isInferred) }

func (t *Table) has(column string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == column })
}

// Apart is the SQL of whether a row of table t stands in with_copies alone; empty
// where each row counts.
func (t *Table) Apart() string {
	var marks []string
	for _, c := range t.Columns {
		if isMark(c) {
			marks = append(marks, "t."+c.Name)
		}
	}
	return strings.Join(marks, " OR ")
}

// isMark says that a column tells which rows stand apart.
func isMark(c Column) bool { return c.Name == isCopy || c.Name == isInferred }
