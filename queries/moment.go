package queries

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
)

// Bounds reads since and until, in the time zone of run. Both are moments in the
// language of [Moments]. An empty text gives the zero time. A length of time counts
// back from now. As since, a length counts back from until, if until is a date. A text
// that is no moment, or a since that isn't before until, is a [*ValueError].
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
		if _, no := ParseSpan(normalize(until)); no != nil {
			start = to
		}
	}
	if since == "" {
		return from, to, nil
	}
	if span, no := ParseSpan(normalize(since)); no == nil {
		from = span.Before(start)
	} else if from, err = momentAt(ctx, run, "since", since, now); err != nil {
		return from, to, err
	}
	if until != "" {
		err = checkOrder(since, from, to)
	}
	return from, to, err
}

// During reads a period in the language of [Moments], in the time zone of run. The
// period includes since and excludes until. A length of time ends now. A text that
// names a moment or no time at all is a [*ValueError].
func During(ctx context.Context, run Run, text string) (since, until time.Time, err error) {
	now, err := clock(ctx, run)
	if err != nil {
		return since, until, err
	}
	return duringAt(text, now)
}

func duringAt(text string, now time.Time) (since, until time.Time, err error) {
	if span, err := ParseSpan(normalize(text)); err == nil {
		return span.Before(now), now, nil
	}
	since, until, ok := period(text, now)
	if !ok || since.Equal(until) {
		err = &ValueError{during, text, errors.New("no period" + didYouMean(text, `7d, yesterday, "last week", 2026-02 or 2026-01-31`))}
	}
	return since, until, err
}

// clock returns the current time, in the time zone for days.
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

// momentAt reads a moment. DuckDB reads texts outside the language, such as 2026-1-5
// and infinity.
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

// convertValues returns the given values with texts converted: moments become times,
// values of closed sets take the spelling of the set.
func (q *Query) convertValues(ctx context.Context, run Run, given map[string]any) (map[string]any, error) {
	values := map[string]any{}
	maps.Copy(values, given)
	texts := map[string]string{} // texts of moments, by parameter
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
	if period = strings.TrimSpace(period); !q.hasPeriod() {
		period = ""
	}
	if period == "" && len(texts) == 0 {
		return values, nil
	}
	return values, readMoments(ctx, run, texts, period, values)
}

// readMoments reads the texts of moments and the text of during into values.
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

// checkOrder returns a [*ValueError] for since, given as a text, unless since lies before
// until.
func checkOrder(text string, since, until time.Time) error {
	if since.Before(until) {
		return nil
	}
	if since.Equal(until) {
		return &ValueError{"since", text, fmt.Errorf("ends where it begins, %s; for all of it write during=%s", until.Format(time.DateTime), text)}
	}
	return &ValueError{"since", text, fmt.Errorf("lies after the end, %s", until.Format(time.DateTime))}
}
