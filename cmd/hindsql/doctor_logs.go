package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
	"hindsql/internal/words"
	"hindsql/prices"
)

// lookAtRetention tells of each agent how long it keeps its logs, and when it
// will delete the oldest.
func lookAtRetention(ctx context.Context, w *world, v *show.View, places []engine.PlaceReport) (found []finding, err error) {
	for _, r := range w.readers {
		for _, p := range places {
			if p.Agent != r.Agent || p.Files == 0 || r.Retention == nil {
				continue
			}
			kept, err := r.Retention(p.Path)
			if err != nil {
				found = append(found, finding{stateLook, r.Agent, "its settings can't be read: " + err.Error(), ""})
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
			f := finding{stateOK, r.Agent, fmt.Sprintf("deletes logs after %d days (%s in %s); the oldest, of %s, on %s",
				kept.Days, kept.Setting, w.short(kept.File), onDay(oldest), onDay(oldest.AddDate(0, 0, kept.Days))), ""}
			if !kept.Set {
				f.state = stateLook
				f.do = fmt.Sprintf("their rows stay here; to keep the logs too, add %q: 3650 to %s", kept.Setting, w.short(kept.File))
			}
			found = append(found, f)
		}
	}
	return found, nil
}

// lookAtLogs tells of logs that are gone, can't be read, or are damaged.
func lookAtLogs(ctx context.Context, v *show.View) (found []finding, err error) {
	set, err := v.Collect(ctx, `SELECT count(*) FILTER (part IS NULL), count(*) FILTER (gone_at IS NOT NULL AND part IS NULL),
		count(*) FILTER (unread_since IS NOT NULL), min(unread_since), (SELECT count(*) FROM problems) FROM sources`, nil)
	if err != nil {
		return nil, err
	}
	count := func(i int) int64 { n, _ := set.Rows[0][i].(int64); return n }
	if n := count(1); n > 0 {
		found = append(found, finding{stateOK, "gone", words.Quantity(n, "log") + " of " + words.Int(count(0)) + " are gone from disk; their rows stay", "hindsql prune drops them, for good"})
	}
	if n := count(2); n > 0 {
		since, _ := set.Rows[0][3].(time.Time)
		found = append(found, finding{stateLook, "unread", words.Quantity(n, "log") + " can't be read since " + onDay(since) + "; the rows are those of before",
			`hindsql "SELECT path, unread_since FROM sources WHERE unread_since IS NOT NULL" names them; look at their permissions, and whether their disk answers`})
	}
	if n := count(4); n > 0 {
		found = append(found, finding{stateLook, "problems", words.Quantity(n, "problem") + ": lines or files that could not be read, or not wholly", commandWords[ask.SeeProblems] + " shows them"})
	} else if count(0) > 0 {
		found = append(found, finding{stateOK, "problems", "none", ""})
	}
	return found, nil
}

// lookAtUnknown tells what this build doesn't know of the logs.
func lookAtUnknown(ctx context.Context, v *show.View) (found []finding, err error) {
	set, err := v.Collect(ctx, `SELECT (SELECT count(*) FROM record_kinds WHERE NOT known), (SELECT count(*) FROM record_fields WHERE kind <> '(version)'),
		(SELECT string_agg(agent || ' ' || field, ', ' ORDER BY agent, field) FROM record_fields WHERE kind = '(version)')`, nil)
	if err != nil {
		return nil, err
	}
	next := commandWords[ask.SeeQuality] + " lists them; a newer hindsql may know them"
	for i, noun := range []string{"unknown kind of record", "unknown field"} {
		if n, _ := set.Rows[0][i].(int64); n > 0 {
			found = append(found, finding{stateLook, "records", words.Quantity(n, noun), next})
		}
	}
	if versions, _ := set.Rows[0][2].(string); versions != "" {
		found = append(found, finding{stateLook, "versions", "newer than any that was tested: " + versions, "look for a newer hindsql; what it doesn't know it counts, and drops no row"})
	}
	if found == nil {
		found = []finding{{stateOK, "records", "all kinds, fields and versions are known", ""}}
	}
	return found, nil
}

// lookAtRuns tells of installed reports whose last run failed.
func lookAtRuns(ctx context.Context, v *show.View) (found []finding, err error) {
	set, err := v.Collect(ctx, `SELECT name, arg_max(status, started_at), arg_max(error, started_at), max(started_at) FROM report_runs GROUP BY name ORDER BY name`, nil)
	if err != nil {
		return nil, err
	}
	for _, row := range set.Rows {
		name, _ := row[0].(string)
		status, _ := row[1].(string)
		why, _ := row[2].(string)
		at, _ := row[3].(time.Time)
		f := finding{stateOK, "report", fmt.Sprintf("%s ran at %s: %s", name, words.Moment(at), status), ""}
		if status == "failed" {
			f = finding{stateLook, "report", f.what + ": " + why, "hindsql report run " + name + " shows whether it still does"}
		}
		found = append(found, f)
	}
	return found, nil
}

// lookAtOwnFiles looks at what the user wrote: prices, queries, reports.
func lookAtOwnFiles(w *world, from *where) (found []finding) {
	found = append(found, lookAtPrices(w, from))
	saved, wrong := saved(w)
	_, wrongReports := allReports(w)
	if wrongReports != nil {
		wrong = errors.Join(wrongReports) // has those of the queries, too
	}
	mine := 0
	for _, q := range saved {
		if q.Path != "" {
			mine++
		}
	}
	if wrong == nil {
		if mine > 0 {
			found = append(found, finding{stateOK, "queries", fmt.Sprintf("%d of your own in %s", mine, w.short(queriesFolder(w))), ""})
		}
		return found
	}
	for line := range strings.SplitSeq(wrong.Error(), "\n") {
		found = append(found, finding{stateBroken, "queries", w.short(line), "mend the file, or move it away"})
	}
	return found
}

// lookAtPrices says by which list costs are estimated, and how old that is.
func lookAtPrices(w *world, from *where) finding {
	path := priceFile(w, from)
	if path == "" {
		return finding{stateOK, "prices", "no file of prices: cost is what the agents recorded, and nothing is estimated",
			"to have it estimated, save LiteLLM's model_prices_and_context_window.json as " + w.short(w.configured("prices.json"))}
	}
	file, err := prices.Look(path)
	if err != nil {
		return finding{stateBroken, "prices", err.Error(), "mend the file, or save another one in its place"}
	}
	return finding{stateOK, "prices", fmt.Sprintf("%s, of %s, with prices of %d models", w.short(path), onDay(file.ModifiedAt), file.Models), ""}
}
