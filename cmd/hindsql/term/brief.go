package term

import (
	"strings"
	"time"

	"hindsql/internal/pattern"
	"hindsql/queries/conversation"
)

var (
	momentForm = pattern.Lazy(`^\d{4}-\d\d-\d\d \d\d:\d\d$`)
	modelDate  = pattern.Lazy(`-(?:\d{8}|\d{4}-\d\d-\d\d)$`)
)

// yearFree is how long after a time its month and day name only one day, about a year.
const yearFree = 360 * 24 * time.Hour

// idLetters is how much is shown of an id that has no shorter form.
const idLetters = 8

// abridge replaces times, projects, models and ids of a saved query's answer by their
// short forms, and measures the columns again. It reports whether a cell changed.
func abridge(t *table) (changed bool) {
	if t.Answer == nil {
		return false
	}
	now := t.Now
	if now.IsZero() {
		now = newest(t.rows)
	}
	for i, c := range t.cols {
		of := extent{}
		shared := sharedNames(t, i)
		for n, row := range t.rows {
			if short := brief(c.Name, row[i], now); short != row[i] && !shared[short] {
				row[i], changed = short, true
			}
			of.take(row[i], !t.nulls[[2]int{n, i}])
		}
		t.extents[i] = of
	}
	return changed
}

// sharedNames returns the short forms that several projects, or several models, of
// column i have: they would look like one, so they stay whole.
func sharedNames(t *table, i int) map[string]bool {
	if c := t.cols[i].Name; c != "project" && !isModel(c) {
		return nil
	}
	wholes, shared := map[string]string{}, map[string]bool{}
	for _, row := range t.rows {
		short := brief(t.cols[i].Name, row[i], time.Time{})
		if whole, seen := wholes[short]; seen && whole != row[i] {
			shared[short] = true
		}
		wholes[short] = row[i]
	}
	return shared
}

func isModel(column string) bool { return column == "model" || strings.HasSuffix(column, "_model") }

// newest returns the newest time of a table's cells; zero without times.
func newest(rows [][]string) (at time.Time) {
	for _, row := range rows {
		for _, s := range row {
			if of, ok := moment(s); ok && of.After(at) {
				at = of
			}
		}
	}
	return at
}

func moment(s string) (time.Time, bool) {
	if !isMoment(s) {
		return time.Time{}, false
	}
	at, err := time.Parse("2006-01-02 15:04", s)
	return at, err == nil
}

// isMoment compares the length first, because most texts are longer.
func isMoment(s string) bool { return len(s) == len("2006-01-02 15:04") && momentForm.MatchString(s) }

// brief returns the short form of a cell: 02-15 09:57 for a time of the last year, the
// date for an older time, the last part of a project, a model without its date, and the
// first letters of an id. Any other cell stays unchanged.
func brief(column, s string, now time.Time) string {
	if at, ok := moment(s); ok {
		if age := now.Sub(at); age > yearFree || age < -yearFree {
			return s[:len("2006-01-02")]
		}
		return s[len("2006-"):]
	}
	switch {
	case column == "project":
		return lastProject(s)
	case isModel(column):
		return modelDate.ReplaceAllString(s, "")
	case isID(column):
		return s // shortened as far as ids stay different
	case strings.HasSuffix(column, "_id") || column == "uuid":
		id, _ := conversation.Split(s)
		if len(id) > idLetters {
			return id[:idLetters] + s[len(id):]
		}
	}
	return s
}

// lastProject returns the last part of a project's name or folder. The name of a
// worktree, in brackets, stays.
func lastProject(s string) string {
	name, worktree := s, ""
	if at := strings.LastIndex(s, " ("); at > 0 && strings.HasSuffix(s, ")") {
		name, worktree = s[:at], s[at:]
	}
	if last := lastOf(name); last != "" {
		return last + worktree
	}
	return s
}
