package schedule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/cmd/hindsql/schedule"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

// TestNext: Next returns the right times of schedules, also at the two clock changes of
// a year.
func TestNext(t *testing.T) {
	for _, test := range []struct{ name, zone, schedule, from, want string }{
		{"hourly", "Europe/Berlin", "hourly", "2026-11-21T09:00:00+01:00", "2026-11-21T10:00:00+01:00 2026-11-21T11:00:00+01:00"},
		{"daily", "Europe/Berlin", "daily 08:00", "2026-11-21T07:59:59+01:00", "2026-11-21T08:00:00+01:00 2026-11-22T08:00:00+01:00"},
		{"daily at midnight", "Europe/Berlin", "daily", "2026-11-21T08:00:00+01:00", "2026-11-22T00:00:00+01:00"},
		{"weekdays", "Europe/Berlin", "weekdays 18:30", "2026-11-20T19:00:00+01:00", "2026-11-23T18:30:00+01:00"},
		{"weekly", "Europe/Berlin", "weekly mon 08:00", "2026-11-21T08:00:00+01:00", "2026-11-23T08:00:00+01:00 2026-11-30T08:00:00+01:00"},
		{"weekly, long and loud", "Europe/Berlin", " Weekly  FRIDAY 8:00", "2026-11-21T08:00:00+01:00", "2026-11-27T08:00:00+01:00"},
		{"weekly at midnight", "Europe/Berlin", "weekly", "2026-11-21T08:00:00+01:00", "2026-11-23T00:00:00+01:00"},
		{"monthly", "Europe/Berlin", "monthly 1 08:00", "2026-11-21T08:00:00+01:00", "2026-12-01T08:00:00+01:00 2027-01-01T08:00:00+01:00"},
		{"every 6h", "Europe/Berlin", "every 6h", "2026-11-21T08:00:00+01:00", "2026-11-21T12:00:00+01:00 2026-11-21T18:00:00+01:00 2026-11-22T00:00:00+01:00"},
		{"every 15 m", "Europe/Berlin", "every 15 m", "2026-11-21T08:46:00+01:00", "2026-11-21T09:00:00+01:00 2026-11-21T09:15:00+01:00"},
		{"cron", "Europe/Berlin", "30 9 1,15 * *", "2026-11-21T08:00:00+01:00", "2026-12-01T09:30:00+01:00 2026-12-15T09:30:00+01:00"},
		{"leap day", "Europe/Berlin", "0 8 29 2 *", "2026-11-21T08:00:00+01:00", "2028-02-29T08:00:00+01:00"},

		// Berlin, 2026-03-29: 02:00 +01:00 is 03:00 +02:00.
		{"spring, a time that isn't", "Europe/Berlin", "daily 02:30", "2026-03-28T00:00:00+01:00", "2026-03-28T02:30:00+01:00 2026-03-29T03:00:00+02:00 2026-03-30T02:30:00+02:00"},
		{"spring, several that aren't", "Europe/Berlin", "*/20 2,3 * * *", "2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00 2026-03-29T03:20:00+02:00"},
		{"spring, a time that is", "Europe/Berlin", "daily 08:00", "2026-03-28T08:00:00+01:00", "2026-03-29T08:00:00+02:00"},
		{"spring, hourly", "Europe/Berlin", "hourly", "2026-03-29T00:00:00+01:00", "2026-03-29T01:00:00+01:00 2026-03-29T03:00:00+02:00 2026-03-29T04:00:00+02:00"},
		{"spring, every 2h", "Europe/Berlin", "every 2h", "2026-03-29T00:00:00+01:00", "2026-03-29T03:00:00+02:00 2026-03-29T04:00:00+02:00"},
		// Berlin, 2026-10-25: 03:00 +02:00 is 02:00 +01:00.
		{"autumn, a time that is twice", "Europe/Berlin", "daily 02:30", "2026-10-24T03:00:00+02:00", "2026-10-25T02:30:00+02:00 2026-10-26T02:30:00+01:00"},
		{"autumn, between the two", "Europe/Berlin", "daily 02:30", "2026-10-25T02:45:00+02:00", "2026-10-26T02:30:00+01:00"},
		{"autumn, in the second hour", "Europe/Berlin", "daily 02:30", "2026-10-25T02:15:00+01:00", "2026-10-26T02:30:00+01:00"},
		{"autumn, several that are twice", "Europe/Berlin", "*/20 2 * * *", "2026-10-25T02:30:00+02:00", "2026-10-25T02:40:00+02:00 2026-10-26T02:00:00+01:00"},
		{"autumn, hourly", "Europe/Berlin", "hourly", "2026-10-25T01:00:00+02:00", "2026-10-25T02:00:00+02:00 2026-10-25T02:00:00+01:00 2026-10-25T03:00:00+01:00"},
		{"autumn, every 30m", "Europe/Berlin", "every 30m", "2026-10-25T02:00:00+02:00", "2026-10-25T02:30:00+02:00 2026-10-25T02:00:00+01:00 2026-10-25T02:30:00+01:00 2026-10-25T03:00:00+01:00"},
		// New York, 2026-03-08 and 2026-11-01, both at 02:00.
		{"New York, spring", "America/New_York", "daily 02:30", "2026-03-07T03:00:00-05:00", "2026-03-08T03:00:00-04:00 2026-03-09T02:30:00-04:00"},
		{"New York, spring, 03:00 too", "America/New_York", "daily 03:00", "2026-03-07T03:00:00-05:00", "2026-03-08T03:00:00-04:00"},
		{"New York, autumn", "America/New_York", "daily 01:30", "2026-10-31T02:00:00-04:00", "2026-11-01T01:30:00-04:00 2026-11-02T01:30:00-05:00"},
		{"New York, autumn, later", "America/New_York", "daily 02:30", "2026-10-31T03:00:00-04:00", "2026-11-01T02:30:00-05:00 2026-11-02T02:30:00-05:00"},
		// Midnight is skipped in Santiago on 2026-09-06, and comes twice in Havana on
		// 2026-11-01. Lord Howe's clock jumps by half an hour.
		{"no midnight", "America/Santiago", "weekly sun", "2026-09-05T12:00:00-04:00", "2026-09-06T01:00:00-03:00 2026-09-13T00:00:00-03:00"},
		{"midnight twice", "America/Havana", "daily", "2026-10-31T12:00:00-04:00", "2026-11-01T00:00:00-04:00 2026-11-02T00:00:00-05:00"},
		{"half an hour", "Australia/Lord_Howe", "daily 02:15", "2026-10-03T03:00:00+10:30", "2026-10-04T02:30:00+11:00 2026-10-05T02:15:00+11:00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, err := schedule.Parse(test.schedule, zone(t, test.zone))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			moment := at(t, test.from)
			for range strings.Fields(test.want) {
				before := moment
				moment = w.Next(moment)
				got = append(got, moment.Format(time.RFC3339))
				if latest := w.Latest(moment.Add(time.Second)); !latest.Equal(moment) {
					t.Errorf("Latest just after %s is %s", moment, latest)
				}
				if latest := w.Latest(moment.Add(-time.Second)); latest.After(before) {
					t.Errorf("Latest just before %s is %s, after %s", moment, latest, before)
				}
			}
			if diff := cmp.Diff(strings.Fields(test.want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEveryMomentOfAYear: in each zone a daily schedule comes once per calendar day at
// any time of day, and an hourly schedule once per elapsed hour.
func TestEveryMomentOfAYear(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "America/Havana", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Beirut"} {
		z := zone(t, name)
		start := time.Date(2026, 1, 1, 23, 59, 30, 0, z)
		for _, clock := range []string{"00:00", "00:30", "01:30", "02:00", "02:15", "02:30", "03:00", "23:59"} {
			w, err := schedule.Parse("daily "+clock, z)
			if err != nil {
				t.Fatal(err)
			}
			for day, moment := 2, start; day < 367; day++ {
				moment = w.Next(moment)
				if want := time.Date(2026, 1, day, 12, 0, 0, 0, z); moment.Format(time.DateOnly) != want.Format(time.DateOnly) {
					t.Fatalf("%s, daily %s: %s, not on %s", name, clock, moment, want.Format(time.DateOnly))
				}
			}
		}
		hourly, err := schedule.Parse("every 30m", z)
		if err != nil {
			t.Fatal(err)
		}
		for moment := time.Date(2026, 1, 1, 0, 0, 0, 0, z); moment.Year() == 2026; {
			next := hourly.Next(moment)
			if next.Sub(moment) != 30*time.Minute {
				t.Fatalf("%s: %s follows %s", name, next, moment)
			}
			moment = next
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "empty; write hourly",
		"sometimes":         "unknown; write hourly",
		"daily 8":           "8: no time of day",
		"daily 25:00":       "25:00: no time of day",
		"daily 08:00 sharp": "sharp: one word too many",
		"weekly moonday":    "moonday",
		"monthly 31":        "a month has days 1 to 28",
		"every 7h":          "every 7h: write a span",
		"every -1h":         "write a span",
		"every 90m":         "write a span",
		"every 48h":         "write a span",
		"every":             "every : write a span",
		"0 0 31 2 *":        "never comes",
		"61 * * * *":        "61",
		"TZ=UTC":            "unknown",
		"TZ=UTC 0 8 * *":    "unknown",
		"@daily":            "unknown",
		"0 8 * * * *":       "unknown",
	} {
		if _, err := schedule.Parse(text, time.UTC); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
	}
}

func TestDue(t *testing.T) {
	z := zone(t, "Europe/Berlin")
	const none = ""
	for _, test := range []struct{ name, schedule, now, done, since, want string }{
		{"never run", "daily 08:00", "2026-11-21T09:00:00+01:00", none, none, "2026-11-20T08:00:00+01:00 2026-11-21T08:00:00+01:00"},
		{"done", "daily 08:00", "2026-11-21T09:00:00+01:00", "2026-11-21T08:00:00+01:00", none, none},
		{"just now", "daily 08:00", "2026-11-22T08:00:00+01:00", "2026-11-21T08:00:00+01:00", none, "2026-11-21T08:00:00+01:00 2026-11-22T08:00:00+01:00"},
		{"not yet", "daily 08:00", "2026-11-22T07:59:59+01:00", "2026-11-21T08:00:00+01:00", none, none},
		{"three days missed", "daily 08:00", "2026-11-24T09:00:00+01:00", "2026-11-21T08:00:00+01:00", none, "2026-11-21T08:00:00+01:00 2026-11-24T08:00:00+01:00"},
		{"just scheduled", "weekly mon 08:00", "2026-11-21T09:00:00+01:00", none, "2026-11-21T08:30:00+01:00", none},
		{"scheduled, first time", "weekly mon 08:00", "2026-11-23T08:00:01+01:00", none, "2026-11-21T08:30:00+01:00", "2026-11-16T08:00:00+01:00 2026-11-23T08:00:00+01:00"},
		{"scheduled again later", "daily 08:00", "2026-11-21T09:00:00+01:00", "2026-06-01T08:00:00+02:00", "2026-11-20T12:00:00+01:00", "2026-11-20T08:00:00+01:00 2026-11-21T08:00:00+01:00"},
		{"weekly to daily", "daily 08:00", "2026-11-24T09:00:00+01:00", "2026-11-23T09:00:00+01:00", none, "2026-11-23T09:00:00+01:00 2026-11-24T08:00:00+01:00"},
		{"the clock was set back", "daily 08:00", "2026-11-10T09:00:00+01:00", "2026-11-21T08:00:00+01:00", none, none},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, err := schedule.Parse(test.schedule, z)
			if err != nil {
				t.Fatal(err)
			}
			moment := func(text string) (m time.Time) {
				if text != none {
					m = at(t, text)
				}
				return m
			}
			got := ""
			if p, ok := w.Due(moment(test.now), moment(test.done), moment(test.since)); ok {
				got = p.From.In(z).Format(time.RFC3339) + " " + p.To.In(z).Format(time.RFC3339)
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
