package schedule_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"hindsql/cmd/hindsql/schedule"
)

// forms are schedules in all forms: crontab's fields, systemd's OnCalendar, how many
// times launchd gets, and the first trigger of the Task Scheduler, abbreviated.
var forms = []struct {
	text, cron, systemd string
	launchd             int
	task                string
}{
	{"hourly", "0 * * * *", "*-*-* *:00:00", 1, "PT60M 00:00 ScheduleByDay"},
	{"daily 08:00", "0 8 * * *", "*-*-* 08:00:00", 1, "08:00 ScheduleByDay"},
	{"daily", "0 0 * * *", "*-*-* 00:00:00", 1, "00:00 ScheduleByDay"},
	{"weekdays 18:30", "30 18 * * 1,2,3,4,5", "Mon,Tue,Wed,Thu,Fri *-*-* 18:30:00", 5, "18:30 ScheduleByWeek Monday Tuesday Wednesday Thursday Friday"},
	{" Weekly  FRIDAY 8:00", "0 8 * * 5", "Fri *-*-* 08:00:00", 1, "08:00 ScheduleByWeek Friday"},
	{"weekly", "0 0 * * 1", "Mon *-*-* 00:00:00", 1, "00:00 ScheduleByWeek Monday"},
	{"monthly 1 08:00", "0 8 1 * *", "*-*-01 08:00:00", 1, "08:00 ScheduleByMonth 1 of 12"},
	{"every 6h", "0 0,6,12,18 * * *", "*-*-* 00,06,12,18:00:00", 4, "00:00 ScheduleByDay"},
	{"every 15 m", "0,15,30,45 * * * *", "*-*-* *:00,15,30,45:00", 4, "PT15M 00:00 ScheduleByDay"},
	{"* * * * *", "* * * * *", "*-*-* *:*:00", 1, "PT1M 00:00 ScheduleByDay"},
	{"7,37 * * * *", "7,37 * * * *", "*-*-* *:07,37:00", 2, "PT30M 00:07 ScheduleByDay"},
	{"0,15,20,50 8 * * *", "0,15,20,50 8 * * *", "*-*-* 08:00,15,20,50:00", 4, "08:00 ScheduleByDay"},
	{"0 9 1,15 * fri", "0 9 1,15 * 5", "*-*-01,15 09:00:00|Fri *-*-* 09:00:00", 3, "09:00 ScheduleByMonth 2 of 12"},
	{"30 2 * 1-3 *", "30 2 * 1,2,3 *", "*-01,02,03-* 02:30:00", 3, "02:30 ScheduleByMonth 31 of 3"},
	{"0 8 ? 1,2 mon", "0 8 * 1,2 1", "Mon *-01,02-* 08:00:00", 2, "08:00 ScheduleByMonthDayOfWeek Monday of 2"},
}

// TestForms: each scheduler gets the times that the words name.
func TestForms(t *testing.T) {
	for _, form := range forms {
		t.Run(form.text, func(t *testing.T) {
			timer := odd
			timer.When = parsed(t, form.text)
			if line := planned(t, "cron", timer)[0].Text; !strings.HasPrefix(line, form.cron+" CODEX_HOME=") {
				t.Errorf("crontab: %s", line)
			}
			if got := strings.Join(calendar(t, timer), "|"); got != form.systemd {
				t.Errorf("systemd: %s", got)
			}
			times := strings.Count(planned(t, "launchd", timer)[0].Text, "    <dict>")
			if times != form.launchd {
				t.Errorf("launchd: %d times", times)
			}
			if got := trigger(planned(t, "schtasks", timer)[0].Text); got != form.task {
				t.Errorf("task: %s", got)
			}
		})
	}
}

// calendar returns the times in a systemd timer.
func calendar(t *testing.T, timer schedule.Timer) (list []string) {
	t.Helper()
	for line := range strings.Lines(planned(t, "systemd", timer)[0].Text) {
		if at, is := strings.CutPrefix(line, "OnCalendar="); is {
			list = append(list, strings.TrimSpace(at))
		}
	}
	return list
}

// trigger abbreviates a task's first trigger.
func trigger(task string) string {
	_, text, _ := strings.Cut(task, "<CalendarTrigger>")
	text, _, _ = strings.Cut(text, "</CalendarTrigger>")
	months, days := 0, 0
	var words []string
	for _, tag := range strings.Split(text, "<") {
		name, value, _ := strings.Cut(strings.TrimSuffix(tag, "/"), ">")
		switch name = strings.TrimSuffix(name, "/"); {
		case name == "Interval":
			words = append(words, value)
		case name == "StartBoundary":
			words = append(words, strings.TrimSuffix(value[len("2026-01-01T"):], ":00"))
		case name == "Day":
			days++
		case strings.HasSuffix(name, "day"), strings.HasPrefix(name, "ScheduleBy"):
			words = append(words, name)
		case strings.Contains(" January February March April May June July August September October November December ", " "+name+" "):
			months++
		}
	}
	if days > 0 {
		words = append(words, fmt.Sprint(days))
	}
	if months > 0 {
		words = append(words, "of", fmt.Sprint(months))
	}
	return strings.Join(words, " ")
}

// TestCalendar: systemd understands the times of each form.
func TestCalendar(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze here: apt install systemd")
	}
	for _, form := range forms {
		for _, at := range strings.Split(form.systemd, "|") {
			if said, err := exec.Command(analyze, "calendar", at).CombinedOutput(); err != nil || strings.Contains(string(said), "never") {
				t.Errorf("%s: %v: %s", at, err, said)
			}
		}
	}
}

// TestTooMany: launchd and the Task Scheduler can't be told of too many times.
func TestTooMany(t *testing.T) {
	timer := odd
	timer.When = parsed(t, "1-50 1-20 * * *")
	for _, name := range []string{"launchd", "schtasks"} {
		if _, _, err := newMadeUp(t).Plan(named(t, name), timer); err == nil || !strings.Contains(err.Error(), "1000 times") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "no schedule; write hourly",
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
		"TZ=UTC 0 8 * *":    "tz=utc",
		"@daily":            "unknown",
		"0 8 * * * *":       "unknown",
	} {
		if _, err := schedule.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
	}
}

func parsed(t *testing.T, text string) *schedule.When {
	t.Helper()
	w, err := schedule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
