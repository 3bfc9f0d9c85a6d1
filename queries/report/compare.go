package report

import (
	"context"
	"strings"
	"time"

	"hindsql/internal/words"
	"hindsql/queries"
)

// compare fills in the numbers of the period before, and adds a note that names it. If
// that period begins before the oldest message, part of its logs may be gone, and a
// change would mislead: then compare only adds a note.
func (p *Part) compare(ctx context.Context, s *Section, run queries.Run) error {
	before := p.Period.Previous()
	oldest, err := oldest(ctx, run)
	if err != nil {
		return err
	}
	switch {
	case oldest.IsZero() || !oldest.Before(p.Period.Since): // there is nothing to compare with
		return nil
	case before.Since.Before(oldest):
		p.remark("Not compared with the time before: the oldest message is of " + words.Moment(oldest) + ".")
		return nil
	}
	p.remark("Compared with " + before.String() + ".")
	p.Before, err = s.rows(ctx, before, run)
	return err
}

// remark adds a sentence to the note.
func (p *Part) remark(sentence string) { p.Note = strings.TrimSpace(p.Note + " " + sentence) }

// oldest returns the time of the oldest message; zero if there is none.
func oldest(ctx context.Context, run queries.Run) (at time.Time, err error) {
	set, err := run(ctx, "SELECT min(timestamp) FROM messages", nil)
	if err == nil && len(set.Rows) == 1 {
		at, _ = set.Rows[0][0].(time.Time)
	}
	return at, err
}
