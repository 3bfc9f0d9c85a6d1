package term

import (
	"testing"
	"time"

	"hindsql/internal/result"
)

// TestAnswer: in a saved query's table, amounts have commas, but places such as a
// message's index, and names such as a year, have none. Values are shorter than in
// exact output.
func TestAnswer(t *testing.T) {
	at := time.Date(2026, 10, 20, 9, 30, 59, 123, time.UTC)
	r := func() *result.Rows {
		return rowsOf(result.Columns("tokens BIGINT", "share DOUBLE", "line BIGINT", "n INTEGER", "year BIGINT", "median_seconds DOUBLE", "seconds DOUBLE", "waited_ms BIGINT", "waited VARCHAR", "at TIMESTAMPTZ"),
			[]any{int64(594790417), 1234.5, int64(12345), int32(12345), int64(2026), 7500.0, 75.0, int64(90_000), "x", at},
			[]any{int64(-1000), 0.5, nil, nil, nil, nil, nil, int64(5), nil, nil})
	}
	check(t, written(t, "table", r(), Options{Answer: &Answer{Noun: "project", Of: 63, All: "top=0"}}), `
┌─────────────┬─────────┬───────┬───────┬──────┬───────────┬─────────┬────────────┬────────┬──────────────────┐
│      tokens │   share │  line │     n │ year │    median │ seconds │  waited_ms │ waited │ at               │
├─────────────┼─────────┼───────┼───────┼──────┼───────────┼─────────┼────────────┼────────┼──────────────────┤
│ 594,790,417 │ 1,234.5 │ 12345 │ 12345 │ 2026 │ 2 h 5 min │    75.0 │ 1 min 30 s │ x      │ 2026-10-20 09:30 │
│      -1,000 │     0.5 │       │       │      │           │         │       5 ms │        │                  │
└─────────────┴─────────┴───────┴───────┴──────┴───────────┴─────────┴────────────┴────────┴──────────────────┘
2 of 63 projects; top=0 for all
`)
	for _, format := range []string{"csv", "tsv", "json", "ndjson", "markdown"} {
		if plain, answer := written(t, format, r(), Options{}), written(t, format, r(), Options{Answer: &Answer{Of: 63, All: "top=0"}}); plain != answer {
			t.Errorf("%s isn't raw: %s", format, answer)
		}
	}
}

func TestAnswerCounts(t *testing.T) {
	for _, test := range []struct {
		answer Answer
		rows   int
		want   string
	}{
		{Answer{}, 1, "1 row"}, {Answer{Noun: "session"}, 1234, "1,234 sessions"}, {Answer{Noun: "project", Total: true}, 10, "9 projects"},
		{Answer{Noun: "project", Total: true, Of: 63, All: "top=0"}, 16, "15 of 63 projects; top=0 for all"}, {Answer{Of: 5, All: "top=0"}, 5, "5 rows"},
	} {
		if got := test.answer.counted(test.rows); got != test.want {
			t.Errorf("%+v: %s, want %s", test.answer, got, test.want)
		}
	}
}
