package term

import (
	"context"
	"strconv"
	"strings"

	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/tables"
)

// PriceRows returns a row for each price and tier of the models with part, in small
// letters, in their names. Prices are in US dollars for a million tokens.
func PriceRows(list []tables.Price, part string) (set result.Set) {
	names := []string{"input", "output", "cache_read", "cache_write", "cache_write_1h"}
	set.Columns = []result.Column{{Name: "model", Type: "VARCHAR"}, {Name: "above", Type: "BIGINT"}}
	for _, name := range names {
		set.Columns = append(set.Columns, result.Column{Name: name, Type: "DOUBLE"})
	}
	for _, p := range list {
		if !strings.Contains(strings.ToLower(p.Model), part) {
			continue
		}
		set.Rows = append(set.Rows, append([]any{p.Model, nil}, perMillion(p.Rates)...))
		for _, t := range p.Tiers {
			set.Rows = append(set.Rows, append([]any{p.Model, t.Above}, perMillion(t.Rates)...))
		}
	}
	return set
}

// perMillion returns the rates for a million tokens, without the last digits, which the
// multiplication makes up.
func perMillion(r tables.Rates) (list []any) {
	for _, v := range r.All() {
		n, _ := strconv.ParseFloat(strconv.FormatFloat(v*1e6, 'g', 9, 64), 64)
		list = append(list, n)
	}
	return list
}

// Unpriced says in a line which models of the logs have no price, most tokens first. query
// is unpriced-models.
func Unpriced(ctx context.Context, v *View, query *queries.Query) (string, error) {
	s, err := v.Session.Bind(ctx, query, nil)
	if err != nil {
		return "", err
	}
	set, err := v.Collect(ctx, s.SQL, s.Args)
	if err != nil {
		return "", err
	}
	const most = 5
	var names []string
	for i, row := range set.Rows {
		if name, _ := row[1].(string); name != "" && i < most {
			names = append(names, name)
		}
	}
	switch n := len(set.Rows); {
	case n == 0:
		return "every model in your logs has a price", nil
	case n > most:
		names = append(names, "…")
	}
	return words.Quantity(len(set.Rows), "model") + " in your logs without a price: " + strings.Join(names, ", ") + "; hindsql run unpriced-models tells more", nil
}
