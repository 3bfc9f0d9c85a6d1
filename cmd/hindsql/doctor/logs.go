package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/internal/atomicfile"
	"hindsql/internal/words"
	"hindsql/readers"
)

// lookAtRetention reports how many days each agent keeps logs, and when it will delete
// the oldest.
func lookAtRetention(ctx context.Context, v *term.View, list []*readers.Reader, places []engine.PlaceReport) (found []Finding, err error) {
	for _, r := range list {
		for _, p := range places {
			if p.Agent != r.Agent || p.Files == 0 || r.Retention == nil {
				continue
			}
			kept, err := r.Retention(p.Path)
			if err != nil {
				found = append(found, Finding{Look, r.Agent, "its settings can't be read: " + err.Error(), ""})
				continue
			}
			set, err := v.Collect(ctx, "SELECT min(modified_at) FROM sources WHERE agent = $agent AND gone_at IS NULL AND starts_with(path, $root)",
				map[string]any{"agent": r.Agent, "root": p.Path + string(filepath.Separator)})
			if err != nil {
				return nil, err
			}
			oldest, ok := set.Rows[0][0].(time.Time)
			if !ok {
				continue
			}
			f := Finding{OK, r.Agent, fmt.Sprintf("deletes logs after %d days (%s in %s); the oldest, of %s, on %s",
				kept.Days, kept.Setting, atomicfile.Short(v.Home, kept.File), onDay(oldest), onDay(oldest.AddDate(0, 0, kept.Days))), ""}
			if !kept.Set {
				f.State = Look
				f.Do = fmt.Sprintf("their rows stay here; to keep the logs too, add %q: 3650 to %s", kept.Setting, atomicfile.Short(v.Home, kept.File))
			}
			found = append(found, f)
		}
	}
	return found, nil
}

// lookAtLogs reports missing, unreadable and damaged logs.
func lookAtLogs(ctx context.Context, v *term.View) (found []Finding, err error) {
	set, err := v.Collect(ctx, `SELECT count(*) FILTER (part IS NULL), count(*) FILTER (gone_at IS NOT NULL AND part IS NULL),
		count(*) FILTER (unread_since IS NOT NULL), min(unread_since), (SELECT count(*) FROM problems) FROM sources`, nil)
	if err != nil {
		return nil, err
	}
	count := func(i int) int64 { n, _ := set.Rows[0][i].(int64); return n }
	if n := count(1); n > 0 {
		found = append(found, Finding{OK, "gone", words.Quantity(n, "log") + " of " + words.Int(count(0)) + " are gone from disk; their rows stay", "hindsql prune drops them, for good"})
	}
	if n := count(2); n > 0 {
		since, _ := set.Rows[0][3].(time.Time)
		found = append(found, Finding{Look, "unread", words.Quantity(n, "log") + " can't be read since " + onDay(since) + "; the rows are those of before",
			`hindsql "SELECT path, unread_since FROM sources WHERE unread_since IS NOT NULL" names them; look at their permissions, and whether their disk answers`})
	}
	if n := count(4); n > 0 {
		found = append(found, Finding{Look, "problems", words.Quantity(n, "problem") + ": lines or files that could not be read, or not wholly", v.Words[ask.SeeProblems] + " shows them"})
	} else if count(0) > 0 {
		found = append(found, Finding{OK, "problems", "none", ""})
	}
	return found, nil
}

// lookAtRuns reports the last run of each installed report, and whether it failed.
func lookAtRuns(ctx context.Context, v *term.View) (found []Finding, err error) {
	set, err := v.Collect(ctx, `SELECT name, arg_max(status, started_at), arg_max(error, started_at), max(started_at) FROM report_runs GROUP BY name ORDER BY name`, nil)
	if err != nil {
		return nil, err
	}
	for _, row := range set.Rows {
		name, _ := row[0].(string)
		status, _ := row[1].(string)
		why, _ := row[2].(string)
		at, _ := row[3].(time.Time)
		f := Finding{OK, "report", fmt.Sprintf("%s ran at %s: %s", name, words.Moment(at), status), ""}
		if status == "failed" {
			f = Finding{Look, "report", f.What + ": " + why, "hindsql report run " + name + " shows whether it still does"}
		}
		found = append(found, f)
	}
	return found, nil
}

// onDay formats a day for people.
func onDay(t time.Time) string { return t.Format(time.DateOnly) }
