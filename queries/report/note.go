package report

import (
	"cmp"
	"context"
	"strings"

	"hindsql/internal/words"
	"hindsql/queries"
)

// beside returns notes to print beside a section's rows, in sentences: which time they
// cover, which given values match nothing, and how many rows there are if the query's
// limit cut some off.
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

// uncut returns a note such as "20 of 63 projects." if the query's limit cut rows off;
// otherwise empty.
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

// note returns which time the rows cover, if it isn't the report's period: the query
// may have no start or end, or the section a period of its own. Otherwise it is empty.
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
