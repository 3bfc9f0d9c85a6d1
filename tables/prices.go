package tables

import (
	"fmt"
	"strconv"
	"strings"

	"hindsql/internal/sqltext"
)

// Price is the price of a model, in US dollars a token.
type Price struct {
	Model string // as in the list; if a name occurs twice, in any case, the last counts
	Rates
	Above int64 // tokens read in a request; above this number, all the request's tokens cost Over. 0 if no higher price applies
	Over  Rates
}

// Rates holds prices of a token, by kind. If CacheRead or CacheWrite is missing, tokens
// of the prompt cache cost Input.
type Rates struct {
	Input, Output         float64
	CacheRead, CacheWrite Maybe[float64]
}

var modelPrices = &Table{
	Name:     "model_prices",
	Doc:      "One row per model in the list of prices for cost estimates, in US dollars a token; empty without a list.",
	Internal: true,
	Derived:  true,
	Columns: []Column{
		{"model", "VARCHAR", "the model, in small letters"},
		{"model_key", "VARCHAR", "the model without provider, region, date and context size, see link 8-estimates"},
		{"input_price", "DOUBLE", "a token read"},
		{"output_price", "DOUBLE", "a token written"},
		{"cache_read_price", "DOUBLE", "a token read from the prompt cache"},
		{"cache_write_price", "DOUBLE", "a token written to the prompt cache"},
		{"above", "BIGINT", "number of tokens read in a request, above which the prices below apply; null without such a number"},
		{"above_input", "DOUBLE", "a token read, above the number"},
		{"above_output", "DOUBLE", "a token written, above the number"},
		{"above_cache_read", "DOUBLE", "a token read from the prompt cache, above the number"},
		{"above_cache_write", "DOUBLE", "a token written to the prompt cache, above the number"},
	},
}

// pricesAtOnce is the number of models in an INSERT.
const pricesAtOnce = 500

// PricesSQL returns the statements that replace the store's price list by list and
// clear the costs estimated by the old list. An empty list removes all prices. Run
// Estimates afterwards for new costs.
func PricesSQL(list []Price) []string {
	statements := []string{
		"DELETE FROM model_prices",
		"UPDATE messages SET cost_estimated_usd = NULL WHERE cost_estimated_usd IS NOT NULL",
		"UPDATE sessions SET cost_estimated_usd = NULL WHERE cost_estimated_usd IS NOT NULL",
	}
	byName := map[string]int{}
	var rows []string
	for _, p := range list {
		name := strings.ToLower(p.Model)
		if at, ok := byName[name]; ok {
			rows[at] = p.row(name)
			continue
		}
		byName[name] = len(rows)
		rows = append(rows, p.row(name))
	}
	for len(rows) > 0 {
		n := min(pricesAtOnce, len(rows))
		statements = append(statements, "INSERT INTO model_prices VALUES "+strings.Join(rows[:n], ", "))
		rows = rows[n:]
	}
	return statements
}

func (p *Price) row(name string) string {
	above, over := "NULL", "NULL, NULL, NULL, NULL"
	if p.Above > 0 {
		above, over = strconv.FormatInt(p.Above, 10), p.Over.values()
	}
	return fmt.Sprintf("(%s, NULL, %s, %s, %s)", sqltext.Literal(name), p.values(), above, over)
}

// values returns the SQL of the four rates.
func (r *Rates) values() string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) + "::DOUBLE" }
	read, write := r.CacheRead, r.CacheWrite
	if !read.OK {
		read.Value = r.Input
	}
	if !write.OK {
		write.Value = r.Input
	}
	return strings.Join([]string{number(r.Input), number(r.Output), number(read.Value), number(write.Value)}, ", ")
}

// Estimates returns the step of Links that estimates costs. The step reads temporary
// table scope, made by the caller or by an earlier step, with the sources of the
// messages to estimate.
func Estimates() Link {
	for _, l := range Links() {
		if l.Name == "8-estimates" {
			return l
		}
	}
	panic("tables: no link 8-estimates")
}
