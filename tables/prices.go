package tables

import (
	"fmt"
	"strconv"
	"strings"

	"hindsql/internal/sqltext"
)

// Price is what a model costs, in US dollars a token.
type Price struct {
	Model string // as the list names it; of several of one name, in any case, the last counts
	Rates
	Above int64 // tokens of a request, read ones, above which Over is what all of them cost; 0 for none
	Over  Rates
}

// Rates are prices of a token, by what it is. None: tokens of the prompt cache
// cost what other read ones do.
type Rates struct {
	Input, Output         float64
	CacheRead, CacheWrite Maybe[float64]
}

var modelPrices = &Table{
	Name:     "model_prices",
	Doc:      "One row per model of the list of prices by which costs are estimated, in US dollars a token; empty without a list.",
	Internal: true,
	Derived:  true,
	Columns: []Column{
		{"model", "VARCHAR", "the model, in small letters"},
		{"model_key", "VARCHAR", "the same without what names of one model differ in: see the link that reads it"},
		{"input_price", "DOUBLE", "a token read"},
		{"output_price", "DOUBLE", "a token written"},
		{"cache_read_price", "DOUBLE", "a token read from the prompt cache"},
		{"cache_write_price", "DOUBLE", "a token written to the prompt cache"},
		{"above", "BIGINT", "tokens read in one request above which the columns below hold; null for none"},
		{"above_input", "DOUBLE", "likewise"},
		{"above_output", "DOUBLE", "likewise"},
		{"above_cache_read", "DOUBLE", "likewise"},
		{"above_cache_write", "DOUBLE", "likewise"},
	},
}

// pricesAtOnce is how many models one statement inserts.
const pricesAtOnce = 500

// PricesSQL are the statements that put a list in the place of the one that the
// store has, empty for none, and forget what was estimated by that. What is
// estimated by the new one is up to Estimates.
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

// values are the SQL of the four.
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

// Estimates is the step of Links that estimates costs. It asks for a table scope
// of the sources whose messages it is for, which another step makes.
func Estimates() Link {
	for _, l := range Links() {
		if l.Name == "8-estimates" {
			return l
		}
	}
	panic("tables: no link 8-estimates")
}
