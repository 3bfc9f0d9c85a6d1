package report

import (
	"cmp"
	"context"
	"strings"

	"hindsql/internal/words"
	"hindsql/queries"
)

// beside returns notes on a section's rows, in sentences: the covered time, values of
// the section that match nothing, and the number of all rows if the query's limit cut
// them.
func (s *Section) beside(ctx context.Context, run queries.Run, args map[string]any, rows int) (string, error) {
	list := []string{s.note()}
	given := map[string]any{}
	for name, text := range s.Params {
		given[name] = text
	}
	doubts, err := s.Query.Doubts(ctx, run, given, args)
	if err != nil {
		return "", err
	}
	for _, d := range doubts {
		list = append(list, words.Sentence(d.Text))
	}
	of, err := s.uncut(ctx, run, args, rows)
	return strings.TrimSpace(strings.Join(append(list, of), " ")), err
}

// uncut returns a note on how many rows exist if the query's limit cut them; empty if
// not.
func (s *Section) uncut(ctx context.Context, run queries.Run, args map[string]any, rows int) (string, error) {
	if s.Query.Total && rows > 0 {
		rows--
	}
	limit, sql, all := s.Query.Uncut(args)
	if limit == 0 || rows < limit {
		return "", nil
	}
	set, err := run(ctx, sql, all)
	if err != nil || len(set.Rows) != 1 {
		return "", ctx.Err() // a query that isn't a single SELECT can't be counted
	}
	of, _ := set.Rows[0][0].(int64)
	if s.Query.Total {
		of--
	}
	if of <= int64(rows) {
		return "", nil
	}
	return words.Int(rows) + " of " + words.Quantity(of, cmp.Or(s.Query.Row, "row")) + ".", nil
}

// note returns a note if the query can't be limited to the whole period.
func (s *Section) note() string {
	switch since, until := s.Query.Param("since"), s.Query.Param("until"); {
	case since == nil && until == nil:
		return "Not of this period only: all that is known."
	case until == nil:
		return "Up to now: the query knows no end of the period."
	case since == nil:
		return "From the beginning: the query knows no start of the period."
	case s.Period != "":
		return "The last " + s.Period.Words() + "."
	}
	return ""
}
