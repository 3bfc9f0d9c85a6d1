package queries

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/internal/result"
	"hindsql/internal/suggest"
	spelt "hindsql/internal/words"
)

// lookup describes how to check a parameter's value against the whole store: SQL that
// lists the names that occur, and whether a part of a name is enough for a match.
type lookup struct {
	sql, what string
	part      bool
}

var lookups = map[string]lookup{
	"agent":   {"SELECT DISTINCT agent FROM sessions", "", false},
	"project": {"SELECT DISTINCT project FROM sessions", "project", true},
	"tool":    {"SELECT DISTINCT tool_name FROM tool_calls", "tool", false},
	"model":   {"SELECT DISTINCT model FROM messages", "model", true},
}

// Doubt is a possible reason why a query returned no rows. The empty result itself
// doesn't tell which condition excluded all rows.
type Doubt struct {
	Text    string // clause without a full stop, first letter small
	Outside bool   // all sessions lie outside the period; if false, nothing matches a value
}

// Doubts returns a doubt for each given value that matches nothing in the store, and
// for a period that excludes everything. bound holds the values from [Query.Bind].
func (q *Query) Doubts(ctx context.Context, run Run, given, bound map[string]any) (list []Doubt, err error) {
	for _, p := range q.Params {
		text, _ := given[p.Name].(string)
		look, known := lookups[p.Name]
		if text == "" || !known || p.Type != "VARCHAR" {
			continue
		}
		set, err := run(ctx, look.sql, nil)
		if err != nil {
			return nil, err
		}
		if names := firstColumn(set); len(names) > 0 && !matches(names, text, look.part) {
			list = append(list, Doubt{Text: look.unmatched(text, names)})
		}
	}
	outside, err := outsidePeriod(ctx, run, given, bound)
	return append(list, outside...), err
}

// firstColumn returns the texts of a result's first column, sorted, without duplicates.
func firstColumn(set result.Set) (names []string) {
	for _, row := range set.Rows {
		if name, _ := row[0].(string); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func matches(names []string, text string, part bool) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(names, func(name string) bool {
		name = strings.ToLower(name)
		return name == text || part && strings.Contains(name, text)
	})
}

func (l lookup) unmatched(text string, names []string) string {
	list := "`" + l.sql + "` lists them"
	switch {
	case l.what == "":
		return fmt.Sprintf("agent %s has no sessions here; there are %s", text, strings.Join(names, ", "))
	case l.what == "project":
		return fmt.Sprintf("no project contains %q%s", text, suggest.Ask(text, parts(names), list))
	case l.part:
		return fmt.Sprintf("no %s contains %q%s", l.what, text, suggest.Ask(text, names, list))
	}
	return fmt.Sprintf("no %s is called %q%s", l.what, text, suggest.Ask(text, names, list))
}

// parts returns the last folder name of each path, and the words of that name, because
// people remember these.
func parts(paths []string) (list []string) {
	for _, path := range paths {
		last := path[strings.LastIndexAny(strings.TrimRight(path, `/\`), `/\`)+1:]
		list = append(list, last)
		list = append(list, strings.FieldsFunc(last, func(r rune) bool { return strings.ContainsRune("-_. ", r) })...)
	}
	return list
}

// outsidePeriod returns a doubt if all sessions in the store lie outside the period from
// since to until.
func outsidePeriod(ctx context.Context, run Run, given, bound map[string]any) (list []Doubt, err error) {
	since, until := bound["since"], bound["until"]
	if given["since"] == nil && given["until"] == nil && given["during"] == nil || since == nil && until == nil {
		return nil, nil
	}
	set, err := run(ctx, `SELECT CASE WHEN max(coalesce(ended_at, started_at)) < CAST($since AS TIMESTAMPTZ) THEN max(coalesce(ended_at, started_at)) END,
		CASE WHEN min(started_at) >= CAST($until AS TIMESTAMPTZ) THEN min(started_at) END FROM sessions`, map[string]any{"since": since, "until": until})
	if err != nil {
		return nil, err
	}
	for i, than := range []string{"newer", "older"} {
		if at, ok := set.Rows[0][i].(time.Time); ok {
			list = append(list, Doubt{Text: "nothing here is " + than + " than " + spelt.Moment(at), Outside: true})
		}
	}
	return list, nil
}

// Costs returns the columns to hide in a saved query's result, because they hold no cost,
// and a note about the columns of costs, whose names end in "usd". names are the result's
// columns, and filled has the number of values that aren't NULL, by column. For a hidden
// column of costs, the column that counts the priced rows is hidden, too. note gives the
// reason in a line, or the price list of the estimates. prices names the list, such as
// "prices of 2026-11", and is empty if unknown. Without columns of costs, or without rows,
// note is empty.
func Costs(names []string, filled []int, rows int, prices string) (hidden []string, note string) {
	if rows == 0 {
		return nil, ""
	}
	var why []string
	for i, name := range names {
		isEstimate := strings.HasSuffix(name, "estimated_usd")
		switch {
		case !strings.HasSuffix(name, "usd"):
		case filled[i] > 0 && isEstimate && prices != "":
			why = append(why, name+" is estimated by "+prices+", whenever the usage was")
		case filled[i] > 0:
		case isEstimate:
			hidden = append(hidden, name, "unpriced")
			why = append(why, "no "+name+": no model here has a price, see hindsql prices")
		default:
			hidden = append(hidden, name, "priced")
			why = append(why, "no "+name+": the agents recorded no cost")
		}
	}
	return hidden, strings.Join(why, "; ")
}
