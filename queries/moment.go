package queries

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
)

// Bounds reads since and until, in the time zone of run: moments of the language
// that [Moments] has examples of, or empty for none, which is the zero time. A
// length of time counts back from now; as since, where until is a date, from
// until. A text that is no moment, and a since that isn't before until, is a
// [*ValueError].
func Bounds(ctx context.Context, run Run, since, until string) (from, to time.Time, err error) {
	now, err := clock(ctx, run)
	if err != nil {
		return from, to, err
	}
	return bounds(ctx, run, since, until, now)
}

func bounds(ctx context.Context, run Run, since, until string, now time.Time) (from, to time.Time, err error) {
	start := now
	if until != "" {
		if to, err = momentAt(ctx, run, "until", until, now); err != nil {
			return from, to, err
		}
		if _, no := ParseSpan(plain(until)); no != nil {
			start = to
		}
	}
	if since == "" {
		return from, to, nil
	}
	if span, no := ParseSpan(plain(since)); no == nil {
		from = span.Before(start)
	} else if from, err = momentAt(ctx, run, "since", since, now); err != nil {
		return from, to, err
	}
	if until != "" {
		err = ordered(since, from, to)
	}
	return from, to, err
}

// During reads a period of the language, in the time zone of run: from its first
// moment to the first that is no longer in it. A length of time is the one that
// ends now. A text that names a moment, or nothing, is a [*ValueError].
func During(ctx context.Context, run Run, text string) (since, until time.Time, err error) {
	now, err := clock(ctx, run)
	if err != nil {
		return since, until, err
	}
	return duringAt(text, now)
}

func duringAt(text string, now time.Time) (since, until time.Time, err error) {
	if span, err := ParseSpan(plain(text)); err == nil {
		return span.Before(now), now, nil
	}
	since, until, ok := period(text, now)
	if !ok || since.Equal(until) {
		err = &ValueError{during, text, errors.New("no period" + didYouMean(text, `7d, yesterday, "last week", 2026-02 or 2026-01-31`))}
	}
	return since, until, err
}

// clock is the time, in the time zone that days are of.
func clock(ctx context.Context, run Run) (time.Time, error) {
	set, err := run(ctx, "SELECT now()", nil)
	if err != nil {
		return time.Time{}, err
	}
	now, ok := set.Rows[0][0].(time.Time)
	if !ok {
		return now, errors.New("the time isn't known")
	}
	return now, nil
}

// momentAt leaves to DuckDB what is no text of the language: it has forms of its
// own, such as 2026-1-5 and infinity.
func momentAt(ctx context.Context, run Run, name, text string, now time.Time) (time.Time, error) {
	if from, _, ok := period(text, now); ok {
		return from, nil
	}
	set, err := run(ctx, "SELECT TRY_CAST($moment AS TIMESTAMPTZ)", map[string]any{"moment": text})
	if err != nil {
		return now, err
	}
	at, ok := set.Rows[0][0].(time.Time)
	if !ok {
		return at, &ValueError{name, text, errors.New("no moment" + didYouMean(text, Moments))}
	}
	return at, nil
}

// read gives what was given with its texts as values: moments as times, those of
// closed sets as the set has them.
func (q *Query) read(ctx context.Context, run Run, given map[string]any) (map[string]any, error) {
	values := maps.Clone(given)
	if values == nil {
		values = map[string]any{}
	}
	texts := map[string]string{} // of moments
	for _, p := range q.Params {
		text, ok := given[p.Name].(string)
		if !ok || text == "" {
			continue
		}
		if p.IsMoment() {
			texts[p.Name] = text
			continue
		}
		var err error
		if values[p.Name], err = p.Value(text); err != nil {
			return nil, err
		}
		if p.Name == "top" && strings.HasPrefix(text, "-") {
			return nil, &ValueError{p.Name, text, errors.New("a number of rows is 0 or more")}
		}
	}
	period, _ := given[during].(string)
	if period = strings.TrimSpace(period); !q.spans() {
		period = ""
	}
	if period == "" && len(texts) == 0 {
		return values, nil
	}
	return values, readMoments(ctx, run, texts, period, values)
}

// readMoments reads the texts of moments, and what during says, into values.
func readMoments(ctx context.Context, run Run, texts map[string]string, period string, values map[string]any) error {
	now, err := clock(ctx, run)
	if err != nil {
		return err
	}
	if period != "" {
		since, until, err := duringAt(period, now)
		delete(values, during)
		values["since"], values["until"] = since, until
		return err
	}
	from, to, err := bounds(ctx, run, texts["since"], texts["until"], now)
	if err != nil {
		return err
	}
	for name, text := range texts {
		switch name {
		case "since":
			values[name] = from
		case "until":
			values[name] = to
		default:
			if values[name], err = momentAt(ctx, run, name, text, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// ordered is a [*ValueError] of since, which was written as a text, unless it
// lies before until.
func ordered(text string, since, until time.Time) error {
	if since.Before(until) {
		return nil
	}
	if since.Equal(until) {
		return &ValueError{"since", text, fmt.Errorf("ends where it begins, %s; for all of it write during=%s", until.Format(time.DateTime), text)}
	}
	return &ValueError{"since", text, fmt.Errorf("lies after the end, %s", until.Format(time.DateTime))}
}
