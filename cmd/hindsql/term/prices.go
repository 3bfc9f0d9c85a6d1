package term

import (
	"context"
	"strings"

	"hindsql/internal/words"
	"hindsql/queries"
)

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
