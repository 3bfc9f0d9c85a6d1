package tables

import (
	"fmt"
	"slices"
	"strings"
)

const isInferred = "is_inferred"

// isInferredDoc is the prose of column is_inferred in each table.
const isInferredDoc = "true if only inferred: evidence is inferred, text or wording, and confidence is below 0.9"

// surelyInferred is the confidence from which an inferred row is shown like recorded
// rows. Rows below it are shown only in with_copies: fewer than nine in ten of them
// were right.
const surelyInferred = 0.9

var unstamped = []string{EvidenceInferred, EvidenceText, EvidenceWording}

// isGuess reports whether a row with this evidence and confidence is shown only in
// with_copies.
func isGuess(evidence string, confidence float64) bool {
	return slices.Contains(unstamped, evidence) && confidence < surelyInferred
}

// GuessSQL returns isGuess as SQL valid in all engines. A null confidence counts as 0.
func GuessSQL(evidence, confidence string) string {
	return fmt.Sprintf("(coalesce(%s IN ('%s'), false) AND coalesce(%s, 0) < %g)", evidence, strings.Join(unstamped, "', '"), confidence, surelyInferred)
}

// HasGuesses reports whether the table has column is_inferred, because some rows are
// only inferred.
func (t *Table) HasGuesses() bool { return t.Has(isInferred) }

// Has reports whether the table has a column.
func (t *Table) Has(column string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == column })
}

// Apart returns the SQL condition for the rows of table t that only with_copies shows;
// empty if all rows are shown everywhere.
func (t *Table) Apart() string {
	var marks []string
	for _, c := range t.Columns {
		if isMark(c) {
			marks = append(marks, "t."+c.Name)
		}
	}
	return strings.Join(marks, " OR ")
}

// isMark reports whether column c is is_copy or is_inferred.
func isMark(c Column) bool { return c.Name == isCopy || c.Name == isInferred }
