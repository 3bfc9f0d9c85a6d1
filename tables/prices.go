package tables

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
)

// Price is the price of a model, in US dollars a token.
type Price struct {
	Model string // as in the list; if a name occurs twice, in any case, the last counts
	Rates
	Tiers []Tier // prices of large requests, in any order
}

// Tier holds the prices of all tokens of a request that reads more than Above tokens. The
// tier with the largest such number counts.
type Tier struct {
	Above int64
	Rates
}

// Rates holds prices of a token, by kind. If CacheRead or CacheWrite is missing, tokens
// of the prompt cache cost Input. CacheWrite1h, for tokens kept for an hour, is
// CacheWrite if missing.
type Rates struct {
	Input, Output                       float64
	CacheRead, CacheWrite, CacheWrite1h Maybe[float64]
}

var modelPrices = &Table{
	Name:     "model_prices",
	Doc:      "One row per model in the list of prices for cost estimates, and per tier of the model, in US dollars a token; empty without a list.",
	Internal: true,
	Derived:  true,
	Columns: []Column{
		{"model", "VARCHAR", "the model, in small letters"},
		{"model_key", "VARCHAR", "the model without provider, region, date and context size, see link 6-priced-models"},
		{"above", "BIGINT", "number of tokens read in a request, above which the prices apply; null for the lowest prices"},
		{"upto", "BIGINT", "the next number above which other prices apply; null for the highest tier"},
		{"input_price", "DOUBLE", "a token read"},
		{"output_price", "DOUBLE", "a token written"},
		{"cache_read_price", "DOUBLE", "a token read from the prompt cache"},
		{"cache_write_price", "DOUBLE", "a token written to the prompt cache"},
		{"cache_write_1h_price", "DOUBLE", "a token written to the prompt cache for an hour"},
	},
}

var pricedModels = &Table{
	Name:     "priced_models",
	Doc:      "One row per model named in logs, and per tier of its prices, as link 6-priced-models found them in model_prices. Prices are null for a model without any.",
	Internal: true,
	Derived:  true,
	Columns: append([]Column{
		{"used", "VARCHAR", "the model, as in the logs"},
		{"above", "BIGINT", "number of tokens read in a request, above which the prices apply; -1 for the lowest prices"},
		{"upto", "BIGINT", "the largest number of tokens with these prices"},
	}, modelPrices.Columns[4:]...),
}

// PricesSQL returns the statements that replace the store's price list by list. An empty
// list also removes the messages' estimates. Run EstimateSteps afterwards for new costs.
func PricesSQL(list []Price) []string {
	statements := []string{"DELETE FROM model_prices", "DELETE FROM priced_models"}
	if len(list) == 0 {
		return append(statements, "UPDATE messages SET cost_estimated_usd = NULL WHERE cost_estimated_usd IS NOT NULL")
	}
	last := map[string]int{}
	for i, p := range list {
		last[strings.ToLower(p.Model)] = i
	}
	var rows []string
	for i, p := range list {
		if name := strings.ToLower(p.Model); last[name] == i {
			rows = append(rows, p.rows(blanks.Replace(name))...)
		}
	}
	// One text of 1,800 rows costs DuckDB 4 ms, VALUES 40 ms.
	return append(statements, `INSERT INTO model_prices SELECT f[1], NULL, nullif(f[2], '')::BIGINT, nullif(f[3], '')::BIGINT, f[4]::DOUBLE, f[5]::DOUBLE, f[6]::DOUBLE, f[7]::DOUBLE, f[8]::DOUBLE
		FROM (SELECT string_split(unnest(string_split(`+sqltext.Literal(strings.Join(rows, "\n"))+`, chr(10))), chr(9)) AS f)`)
}

// blanks replaces the two separators of the rows in names.
var blanks = strings.NewReplacer("\n", " ", "\t", " ")

// rows returns a line for the lowest prices and for each tier, with tabs between values.
func (p *Price) rows(name string) (lines []string) {
	tiers := append([]Tier{{0, p.Rates}}, p.Tiers...)
	slices.SortStableFunc(tiers[1:], func(a, b Tier) int { return cmp.Compare(a.Above, b.Above) })
	for i, t := range tiers {
		from, to := "", ""
		if i > 0 {
			from = strconv.FormatInt(t.Above, 10)
		}
		if i+1 < len(tiers) {
			to = strconv.FormatInt(tiers[i+1].Above, 10)
		}
		lines = append(lines, strings.Join(append([]string{name, from, to}, t.values()...), "\t"))
	}
	return lines
}

// values returns the rates as texts.
func (r *Rates) values() []string {
	return lists.Map(r.All(), func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
}

// All returns the prices of a token read, written, read from the prompt cache, written to
// it, and written to it for an hour. A missing price has its substitute.
func (r *Rates) All() []float64 {
	write := r.CacheWrite.Or(r.Input)
	return []float64{r.Input, r.Output, r.CacheRead.Or(r.Input), write, r.CacheWrite1h.Or(write)}
}

// EstimateSteps returns the steps of Links that estimate costs and add them up. The
// steps read temporary table scope, made by the caller or by an earlier step, with the
// sources of the messages to estimate.
func EstimateSteps() []Link {
	return lists.Filter(Links(), func(l Link) bool {
		return l.Name == "6-priced-models" || strings.HasPrefix(l.Name, "7-estimates") || l.Name == "7-totals"
	})
}
