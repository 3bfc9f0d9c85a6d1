package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/result"
	"hindsql/internal/whole"
	"hindsql/queries"
)

// TestRenderings writes the rows of each saved query in each format, for terminals of
// four widths, a pipe and a file. Rows whose first row is read again give the same text.
func TestRenderings(t *testing.T) {
	t.Parallel()
	e, _, stderr := onSample(t)
	from := &logFlags{sample: sampleAlways, timezone: "UTC"}
	saved, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	err = withSession(context.Background(), &e, from, func(ctx context.Context, v *term.View) error {
		for i, q := range saved {
			if i%whole.Or(1, 4) != 0 {
				continue
			}
			s, err := v.Session.Bind(ctx, q, nil)
			if err != nil {
				return err
			}
			err = v.Session.Run(ctx, s, func(a *ask.Answer) error {
				set := result.Set{Columns: a.Rows.Columns}
				for values, err := range a.Rows.All() {
					if err != nil {
						return err
					}
					set.Rows = append(set.Rows, slices.Clone(values))
				}
				t.Run(q.Name, func(t *testing.T) { renderAll(t, s, set) })
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err, stderr)
	}
}

// renderAll writes an answer in each format, for each place.
func renderAll(t *testing.T, s ask.Statement, set result.Set) {
	own, err := rendered("json", "pipe", s, set, false)
	if err != nil {
		t.Fatal(err)
	}
	want, err := parse("json", own)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range term.Names() {
		for _, place := range places {
			binary := format == "xlsx" && place != "pipe" && place != "file"
			if format == term.Parquet || binary || format == "chart" && s.Saved.Chart == nil {
				continue // of the engine, refused, or without something to draw
			}
			text, err := rendered(format, place, s, set, false)
			again, failed := rendered(format, place, s, set, true)
			if err != nil || failed != nil || text != again {
				t.Errorf("%s, %s: %v; with the first row read again: %v, %d bytes instead of %d", format, place, err, failed, len(again), len(text))
			}
			a := answer{trial: trial{subject: &subject{}, format: format, place: place}, text: text}
			if err := a.escapes(); err != nil {
				t.Errorf("%s, %s: %v", format, place, err)
			}
			if err := a.width(); err != nil {
				t.Errorf("%s, %s: %v", format, place, err)
			}
			if !slices.Contains(checked, format) {
				continue
			}
			got, err := parse(format, text)
			if err != nil || got.rows != want.rows || got.rows > 0 && !slices.Equal(got.columns, want.columns) {
				t.Errorf("%s, %s: %v, %v; JSON has %v", format, place, err, got, want)
			}
		}
	}
}

// rendered returns an answer's text. If again is set, the first row is read twice.
func rendered(format, place string, s ask.Statement, set result.Set, again bool) (string, error) {
	var text strings.Builder
	e := environment{variables: variables{getenv: func(string) string { return "" }}}
	to := &term.Output{Writer: &text, Format: format}
	switch width := terminalWidth(place); {
	case width > 0:
		e.stdoutTerminal, e.width = true, width
		to.Writer, to.Options = term.NewEscaper(&text), renderOptions(&e, &outputFlags{format: format, rows: 1000, direct: true})
	case place == "file":
		to.File = "answer"
	}
	to.Chart, to.Answer = s.Chart(), term.AnswerOf(&s)
	write, err := to.Results("")
	if err != nil {
		return "", err
	}
	rows := set.Read()
	if again && rows.Next() {
		rows.Unread()
	}
	err = write(rows)
	return text.String(), err
}
