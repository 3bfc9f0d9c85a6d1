package queries_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/result"
	"hindsql/queries"
)

var bound = &queries.Query{Name: "q", Params: []queries.Param{
	{Name: "since", Type: "TIMESTAMPTZ", Default: "now()"}, {Name: "day", Type: "DATE", Default: "NULL"},
	{Name: "top", Type: "INTEGER", Default: "20"}, {Name: "word", Type: "VARCHAR", Default: "NULL"},
}}

// echo returns each column's SQL with the bound values inserted. A column that contains
// "bad" is an error.
func echo(_ context.Context, sql string, args map[string]any) (set result.Set, err error) {
	if sql == "SELECT now()" {
		return result.Set{Rows: [][]any{{time.Date(2026, 10, 15, 9, 30, 0, 0, time.UTC)}}}, nil
	}
	row := []any{}
	for _, column := range strings.Split(strings.TrimPrefix(sql, "SELECT "), ", ") {
		for name, value := range args {
			column = strings.ReplaceAll(column, "$"+name, fmt.Sprintf("‹%v›", value))
		}
		if strings.Contains(column, "bad") {
			return set, errors.New("no such value")
		}
		row = append(row, column)
	}
	return result.Set{Rows: [][]any{row}}, nil
}

func TestBind(t *testing.T) {
	at := time.Date(2026, 10, 8, 9, 30, 0, 0, time.FixedZone("", 2*60*60))
	for _, c := range []struct {
		words []string
		more  map[string]any
		want  map[string]any
		err   string
	}{
		{want: map[string]any{
			"since": "CAST(CAST((now()) AS TIMESTAMPTZ) AS VARCHAR)", "day": nil, "top": "20", "word": nil}},
		{words: []string{"since=7d", "top=5", "word=7d"}, more: map[string]any{"day": at}, want: map[string]any{
			"since": "2026-10-08T09:30:00Z", "day": "2026-10-08",
			"top": "5", "word": "7d"}},
		{words: []string{"top=007", "since=7d"}, more: map[string]any{"day": at}, want: map[string]any{
			"since": "2026-10-08T09:30:00Z", "day": "2026-10-08", "top": "CAST(CAST(‹007› AS INTEGER) AS VARCHAR)", "word": nil}},
		{words: []string{"top=", "word='; DROP"}, more: map[string]any{"since": at, "day": "0d", "other": at}, want: map[string]any{
			"since": "2026-10-08T09:30:00+02:00", "day": "2026-10-15",
			"top": nil, "word": "'; DROP"}},
		{words: []string{"top=bad"}, err: "top=bad: no such value"},
		{words: []string{"top"}, err: "top: a value stands behind =, as in top=…, or behind a flag, as in --top …; one with spaces needs quotes"},
		{words: []string{"x"}, err: "x: write param=value; q takes since, day, top, word"},
		{words: []string{"tip=1"}, err: `q has no parameter "tip"; did you mean top? q takes since, day, top, word`},
	} {
		given, err := bound.ParseArgs(c.words)
		var got map[string]any
		if err == nil {
			for name, value := range c.more {
				given[name] = value
			}
			got, err = bound.Bind(t.Context(), echo, given)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || c.err == "" && err != nil || c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%v: error %v, want %q %s", c.words, err, c.err, diff)
		}
	}
}

// TestBindBlames: the error names the wrong value, or a wrong default with its query.
func TestBindBlames(t *testing.T) {
	var wrong *queries.ValueError
	if _, err := bound.Bind(t.Context(), echo, map[string]any{"since": "7d", "top": "bad"}); !errors.As(err, &wrong) || wrong.Name != "top" || wrong.Text != "bad" {
		t.Errorf("%v: want the error of top", err)
	}
	held := errors.New("held by another program")
	broken := func(context.Context, string, map[string]any) (result.Set, error) { return result.Set{}, held }
	if _, err := bound.Bind(t.Context(), broken, map[string]any{"top": "5"}); err != held {
		t.Errorf("%v: want what keeps all from running", err)
	}
	q := &queries.Query{Name: "mine", Params: []queries.Param{{Name: "n", Type: "INTEGER", Default: "bad"}}}
	if _, err := q.Bind(t.Context(), echo, nil); errors.As(err, &wrong) && wrong.Name == "n" || err == nil || err.Error() != "mine: default of n: no such value" {
		t.Errorf("%v: want the error of a default", err)
	}
}

// TestSpans checks the words of spans.
func TestSpans(t *testing.T) {
	for text, want := range map[string]string{"1d": "day", "28d": "28 days", "1 Month": "month", "3mo": "3 months", "2Y": "2 years", "2w": "2 weeks", "90m": "90 minutes", "1h": "hour"} {
		if span, err := queries.ParseSpan(text); err != nil || span.Words() != want || span.IsZero() {
			t.Errorf("%s: %q %v, want %q", text, span.Words(), err, want)
		}
	}
	for _, text := range []string{"", "7", "d", "-7d", "7 fortnights", "1234567d"} {
		if _, err := queries.ParseSpan(text); err == nil {
			t.Errorf("%q is a span", text)
		}
	}
	if span, err := queries.ParseSpan("0m"); err != nil || !span.IsZero() {
		t.Errorf("0m: %v", err)
	}
}
