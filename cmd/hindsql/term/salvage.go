package term

import (
	"errors"
	"strings"

	"hindsql/engine"
	"hindsql/internal/words"
)

// tellSalvage reports what a full sync saved from a damaged store, and what was lost.
func tellSalvage(v *View, s *engine.Salvage) {
	if s == nil {
		return
	}
	if newer := (*engine.Damaged)(nil); errors.As(s.Err, &newer) && newer.IsNewer() {
		Notice(v.Err, "the store was written by another version of DuckDB; it lies at %s now, for the hindsql that wrote it", v.short(s.Aside))
	} else {
		Notice(v.Err, "the store was damaged; it lies at %s now", v.short(s.Aside))
	}
	if s.Err != nil {
		words, _, _ := strings.Cut(s.Err.Error(), "\n")
		Notice(v.Err, "nothing of it could be read: %s; rows of logs that are gone from the disk, and of other machines, are in no store now", words)
		return
	}
	if s.Logs == 0 && len(s.Saved) == 0 {
		Notice(v.Err, "it held no rows that could be read, but for those of logs that are there")
	} else {
		Notice(v.Err, "saved what only it had, rows of %s: %s", words.Quantity(s.Logs, "log"), amounts(s.Saved))
	}
	if len(s.Lost) > 0 {
		Notice(v.Err, "not saved, as they can't be read, at most: %s; those of logs that are there were loaded again", amounts(s.Lost))
	}
	if len(s.Holes) > 0 {
		Notice(v.Err, "saved without a value, at most: %s", amounts(s.Holes))
	}
	if s.Absent > 0 {
		Notice(v.Err, "of the saved logs %s are lost", words.Quantity(s.Absent, "message"))
	}
}

// tellHealed reports how other programs had changed the store's rows, and that hindsql
// loaded all logs again.
func tellHealed(v *View, h *engine.Healed) {
	if h == nil {
		return
	}
	what := "rows of the store were changed"
	if len(h.Missing) > 0 {
		what = "taken out of the store: " + amounts(h.Missing)
	}
	Notice(v.Err, "%s, and not by hindsql; all logs were loaded again", what)
	if len(h.Lost) > 0 {
		Notice(v.Err, "lost, as no log has them any more: %s", amounts(h.Lost))
	}
}

func amounts(list []engine.TableRows) string {
	var parts []string
	for _, t := range list {
		parts = append(parts, words.Quantity(t.Rows, "row")+" of "+t.Table)
	}
	return strings.Join(parts, ", ")
}
