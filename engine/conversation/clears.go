package conversation

import (
	"cmp"
	"context"
	"time"
)

// Cleared is a clear of the context.
type Cleared struct {
	Event                 // Session is empty where no trace names the one that ended
	How         string    // as typed, or plan: a plan was accepted with its context cleared
	Messages    int64     // that the context held; 0 where unknown
	Began, Last time.Time // of the session that ended, and its last message before the clear
	Next        string    // session that began; empty where none did
	NextAbout   string
	NextMessage int64 // of its first prompt; -1 without
}

var clears = events{
	table: "clears", fixed: "true", order: "x.timestamp DESC, x.session_id, x.next_session_id, x.agent",
	project: "x.project", kind: "x.trigger", texts: []string{"x.command", "s.about"},
}

const (
	clearColumns = "x.after_message_index, x.command, x.trigger, x.next_session_id, x.confidence, x.evidence, s.started_at"
	clearSQL     = `, first AS (
	SELECT g.n, min(m.message_index) AS place FROM page g JOIN messages m ON m.agent = g.agent AND m.session_id = g.next_session_id
	WHERE m.kind = 'prompt' AND m.typed_by = 'human' GROUP BY g.n
), last AS (
	SELECT g.n, max(m.timestamp) AS time FROM page g JOIN with_copies.messages m ON m.agent = g.agent AND m.session_id = g.session_id
		AND m.message_index <= g.after_message_index AND m.kind IS DISTINCT FROM 'usage' GROUP BY g.n
)
SELECT ` + shared + `, g.after_message_index, g.command, g.trigger, g.next_session_id, g.confidence, g.evidence, g.started_at, l.time, b.about, m.message_index, m.text
FROM page g LEFT JOIN first f ON f.n = g.n LEFT JOIN last l ON l.n = g.n
LEFT JOIN sessions b ON b.agent = g.agent AND b.session_id = g.next_session_id
LEFT JOIN messages m ON m.agent = g.agent AND m.session_id = g.next_session_id AND m.message_index = f.place
ORDER BY g.n`
)

// Clears gives the clears, newest first, and how many match in all.
func Clears(ctx context.Context, run Run, f Filter) ([]Cleared, int64, error) {
	return eventsListed(ctx, run, &f, &clears, clearColumns, clearSQL, func(row []any) Cleared {
		c := Cleared{
			Event: eventOf(row), How: cmp.Or(text(row[8]), text(row[9])), Next: text(row[10]), Began: moment(row[13]), Last: moment(row[14]),
			NextAbout: text(row[15]), NextMessage: numberOr(row[16], -1),
		}
		c.Index = numberOr(row[7], -1)
		c.Place, c.Messages, c.Evidence, c.Prompt = c.Index, c.Index+1, text(row[12]), text(row[17])
		c.Confidence, _ = row[11].(float64)
		return c
	})
}

// Idle is how long nothing had been said before the clear; zero where unknown.
func (c Cleared) Idle() time.Duration {
	if c.Last.IsZero() || c.Time.Before(c.Last) {
		return 0
	}
	return c.Time.Sub(c.Last)
}
