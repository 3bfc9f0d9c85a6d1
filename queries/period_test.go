package queries_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hindsql/internal/result"
	"hindsql/queries"
)

// at returns a Run that runs no SQL, but knows the time and one form of DuckDB's.
func at(now time.Time) queries.Run {
	return func(_ context.Context, sql string, args map[string]any) (result.Set, error) {
		value := any(now)
		if args["moment"] != nil {
			value = nil
		}
		if args["moment"] == "2026-2-3" {
			value = time.Date(2026, 2, 3, 0, 0, 0, 0, now.Location())
		}
		return result.Set{Rows: [][]any{{value}}}, nil
	}
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	place, err := time.LoadLocation(name)
	if err != nil {
		t.Skip(err)
	}
	return place
}

// TestLanguage checks the time or period of each text, on a Thursday in Berlin after
// the clock change of 29 March. One time is a moment, two times are a period.
func TestLanguage(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	now := time.Date(2026, 4, 2, 10, 30, 0, 0, berlin)
	for text, want := range map[string]string{
		"now": "2026-04-02T10:30:00+02:00", "90m": "2026-04-02T09:00:00+02:00", "12h": "2026-04-01T22:30:00+02:00",
		"7d": "2026-03-26T10:30:00+01:00", "7 days ago": "2026-03-26T10:30:00+01:00", "1W": "2026-03-26T10:30:00+01:00",
		"1month": "2026-03-02T10:30:00+01:00", "3mo": "2026-01-02T10:30:00+01:00", "1y": "2025-04-02T10:30:00+02:00", "120h": "2026-03-28T09:30:00+01:00",
		"today":            "2026-04-02T00:00:00+02:00 2026-04-03T00:00:00+02:00",
		"Yesterday":        "2026-04-01T00:00:00+02:00 2026-04-02T00:00:00+02:00",
		"tomorrow":         "2026-04-03T00:00:00+02:00 2026-04-04T00:00:00+02:00",
		"monday":           "2026-03-30T00:00:00+02:00 2026-03-31T00:00:00+02:00",
		"thursday":         "2026-04-02T00:00:00+02:00 2026-04-03T00:00:00+02:00",
		"last thu":         "2026-03-26T00:00:00+01:00 2026-03-27T00:00:00+01:00",
		"sun":              "2026-03-29T00:00:00+01:00 2026-03-30T00:00:00+02:00", // 23 hours
		"this week":        "2026-03-30T00:00:00+02:00 2026-04-06T00:00:00+02:00",
		"last-week":        "2026-03-23T00:00:00+01:00 2026-03-30T00:00:00+02:00",
		"this_month":       "2026-04-01T00:00:00+02:00 2026-05-01T00:00:00+02:00",
		"last month":       "2026-03-01T00:00:00+01:00 2026-04-01T00:00:00+02:00",
		"this year":        "2026-01-01T00:00:00+01:00 2027-01-01T00:00:00+01:00",
		"last year":        "2025-01-01T00:00:00+01:00 2026-01-01T00:00:00+01:00",
		"last 7 days":      "2026-03-26T10:30:00+01:00 2026-04-02T10:30:00+02:00",
		"2026":             "2026-01-01T00:00:00+01:00 2027-01-01T00:00:00+01:00",
		"2026-02":          "2026-02-01T00:00:00+01:00 2026-03-01T00:00:00+01:00",
		"2026-03-29":       "2026-03-29T00:00:00+01:00 2026-03-30T00:00:00+02:00",
		"2026-2-3":         "2026-02-03T00:00:00+01:00", // one of DuckDB's own forms
		"2026-01-31 08:00": "2026-01-31T08:00:00+01:00", "2026-01-31T08:00": "2026-01-31T08:00:00+01:00", "2026-01-31 08:00:30.5": "2026-01-31T08:00:30.5+01:00",
		"2026-01-31 08:00Z": "2026-01-31T09:00:00+01:00", "2026-01-31T08:00:00-05:00": "2026-01-31T14:00:00+01:00", "2026-10-01 12:00:00+02": "2026-10-01T12:00:00+02:00",
		"08:00": "2026-04-02T08:00:00+02:00", "yesterday 18:00": "2026-04-01T18:00:00+02:00", "sunday 12:00": "2026-03-29T12:00:00+02:00",
	} {
		from, _, err := queries.Bounds(t.Context(), at(now), text, "")
		got := from.Format(time.RFC3339Nano)
		since, until, no := queries.During(t.Context(), at(now), text)
		if period := strings.Contains(want, " "); period && text != "last 7 days" {
			got += " " + until.Format(time.RFC3339Nano)
			if !since.Equal(from) {
				t.Errorf("%s: during begins at %s, since at %s", text, since, from)
			}
		} else if period {
			got += " " + until.Format(time.RFC3339Nano)
		} else if no == nil && !until.Equal(now) {
			t.Errorf("%s: a period, until %s", text, until)
		}
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"yesterdy":         "since=yesterdy: no moment; did you mean yesterday? write " + queries.Moments,
		"lastweek":         "since=lastweek: no moment; did you mean last week? write " + queries.Moments,
		"2026-02-30":       "since=2026-02-30: no moment; write " + queries.Moments,
		"2026-13":          "since=2026-13: no moment; write " + queries.Moments,
		"25:00":            "since=25:00: no moment; write " + queries.Moments,
		"last month 08:00": "since=last month 08:00: no moment; did you mean last month? write " + queries.Moments,
	} {
		if _, _, err := queries.Bounds(t.Context(), at(now), text, ""); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if _, _, err := queries.During(t.Context(), at(now), "08:00"); err == nil || !strings.HasPrefix(err.Error(), "during=08:00: no period; write 7d, ") {
		t.Error(err)
	}
}

// TestBounds: until is the first excluded moment, even if written as a period. A length
// of time counts back from now or from a date.
func TestBounds(t *testing.T) {
	now := time.Date(2026, 4, 2, 10, 30, 0, 0, time.UTC)
	for _, c := range []struct{ since, until, want string }{
		{"2026-02", "2026-03", "2026-02-01 00:00 2026-03-01 00:00"},
		{"last month", "this month", "2026-03-01 00:00 2026-04-01 00:00"},
		{"yesterday", "today", "2026-04-01 00:00 2026-04-02 00:00"},
		{"7d", "2026-02-10", "2026-02-03 00:00 2026-02-10 00:00"},
		{"7d", "now", "2026-03-26 10:30 2026-04-02 10:30"},
		{"30d", "7d", "2026-03-03 10:30 2026-03-26 10:30"},
		{"2026-02", "2026-02", "since=2026-02: ends where it begins, 2026-02-01 00:00:00; for all of it write during=2026-02"},
		{"2026-03-02", "2026-03-01", "since=2026-03-02: lies after the end, 2026-03-01 00:00:00"},
		{"7d", "30d", "since=7d: lies after the end, 2026-03-03 10:30:00"},
		{"", "2026-03-01", "0001-01-01 00:00 2026-03-01 00:00"},
	} {
		const form = "2006-01-02 15:04"
		from, to, err := queries.Bounds(t.Context(), at(now), c.since, c.until)
		got := from.Format(form) + " " + to.Format(form)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("since %q until %q: %s, want %s", c.since, c.until, got, c.want)
		}
	}
}

// TestMidnights: a day begins at its first moment, even if the clocks change at
// midnight.
func TestMidnights(t *testing.T) {
	for _, c := range []struct{ zone, day, want string }{
		{"Asia/Beirut", "2026-03-29", "2026-03-29T01:00:00+03:00"},      // from 0:00 to 1:00
		{"America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00"},   // 1:00 goes back to 0:00
		{"America/Santiago", "2026-09-06", "2026-09-06T01:00:00-03:00"}, // from 0:00 to 1:00
		{"America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00"},
		{"UTC", "2026-03-08", "2026-03-08T00:00:00Z"},
	} {
		now := time.Date(2026, 12, 1, 12, 0, 0, 0, zone(t, c.zone))
		from, _, err := queries.Bounds(t.Context(), at(now), c.day, "")
		if got := from.Format(time.RFC3339); err != nil || got != c.want {
			t.Errorf("%s in %s: %s %v, want %s", c.day, c.zone, got, err, c.want)
		}
	}
}

// TestGivenWords checks each way to write a parameter, and the errors.
func TestGivenWords(t *testing.T) {
	q := &queries.Query{Name: "q", Params: []queries.Param{
		{Name: "since", Type: "TIMESTAMPTZ", Default: "NULL"}, {Name: "until", Type: "TIMESTAMPTZ", Default: "NULL"},
		{Name: "agent", Type: "VARCHAR", Default: "NULL", Values: []string{"claude", "codex"}}, {Name: "min_percent", Type: "DOUBLE", Default: "0"},
	}}
	for _, c := range []struct{ words, want string }{
		{"since=7d --agent Claude --min-percent=5", "map[agent:claude min_percent:5 since:7d]"},
		{"during=2026-02 agent=", "map[agent: during:2026-02]"},
		{"agent=claude-code", "agent=claude-code: unknown; did you mean claude? one of claude, codex"},
		{"sinec=7d", `q has no parameter "sinec"; did you mean since? q takes since, until, agent, min_percent`},
		{"7d", "7d: write param=value, such as since=7d; q takes since, until, agent, min_percent"},
		{"Bash", "Bash: write param=value; q takes since, until, agent, min_percent"},
		{"since=7d since=8d", "since=8d: since is given twice"},
		{"since=7d during=2026", "during=…: is since and until at once; give either it or those"},
	} {
		given, err := q.ParseArgs(strings.Fields(c.words))
		got := strings.TrimSpace(strings.ReplaceAll(fmt.Sprint(given), "  ", " "))
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.words, got, c.want)
		}
	}
	now := time.Date(2026, 4, 2, 10, 30, 0, 0, time.UTC)
	var wrong *queries.ValueError
	if _, err := q.Bind(t.Context(), at(now), map[string]any{"during": "soon"}); !errors.As(err, &wrong) || wrong.Name != "during" {
		t.Errorf("%v: want the error of during", err)
	}
}
