package report

import (
	"context"
	"strings"
	"time"

	"hindsql/internal/words"
	"hindsql/queries"
)

// compare fills in the numbers of the period before. If that period begins before the
// oldest message, part of its logs may be gone, and a change would mislead: then
// compare adds a note instead.
func (p *Part) compare(ctx context.Context, s *Section, run queries.Run) error {
	before := p.Period.Previous()
	oldest, err := oldest(ctx, run)
	if err != nil {
		return err
	}
	if oldest.IsZero() || before.Since.Before(oldest) {
		if !oldest.IsZero() && oldest.Before(p.Period.Until) {
			p.Note = strings.TrimSpace(p.Note + " Not compared with the time before: the oldest message is of " + words.Moment(oldest) + ".")
		}
		return nil
	}
	p.Before, err = s.rows(ctx, before, run)
	return err
}

// oldest returns the time of the oldest message; zero if there is none.
func oldest(ctx context.Context, run queries.Run) (at time.Time, err error) {
	set, err := run(ctx, "SELECT min(timestamp) FROM messages", nil)
	if err == nil && len(set.Rows) == 1 {
		at, _ = set.Rows[0][0].(time.Time)
	}
	return at, err
}
