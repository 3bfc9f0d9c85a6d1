package prices

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"

	"hindsql/tables"
)

// perMillion holds prices as people write them: US dollars for a million tokens.
type perMillion struct {
	Input      *float64 `toml:"input"`
	Output     *float64 `toml:"output"`
	CacheRead  *float64 `toml:"cache_read"`
	CacheWrite *float64 `toml:"cache_write"`
}

// model is a table of the file.
type model struct {
	perMillion
	Names []string `toml:"names"` // other names of the model
	Above *struct {
		Tokens int64 `toml:"tokens"`
		perMillion
	} `toml:"above"`
}

// parseTOML reads a list in hindsql's own form: a TOML table for each model.
func parseTOML(text []byte) ([]tables.Price, error) {
	var models map[string]model
	facts, err := toml.Decode(string(text), &models)
	if err != nil {
		return nil, err
	}
	if unknown := facts.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s: unknown; a model has input, output, cache_read, cache_write, names and above", unknown[0])
	}
	var list []tables.Price
	for name, m := range models {
		price := tables.Price{}
		if price.Rates, err = m.rates(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if m.Above != nil {
			if price.Over, err = m.Above.rates(); err == nil && m.Above.Tokens <= 0 {
				err = fmt.Errorf("tokens: is missing")
			}
			if err != nil {
				return nil, fmt.Errorf("%s: above: %w", name, err)
			}
			price.Above = m.Above.Tokens
		}
		for _, price.Model = range append(m.Names, name) {
			list = append(list, price)
		}
	}
	return list, nil
}

func (p perMillion) rates() (r tables.Rates, err error) {
	if p.Input == nil || p.Output == nil {
		return r, fmt.Errorf("input and output are needed, in US dollars for a million tokens")
	}
	var below []string
	price := func(name string, v *float64) tables.Maybe[float64] {
		if v == nil {
			return tables.Maybe[float64]{}
		}
		if *v < 0 {
			below = append(below, name)
		}
		return tables.Some(*v / 1e6)
	}
	r = tables.Rates{Input: price("input", p.Input).Value, Output: price("output", p.Output).Value, CacheRead: price("cache_read", p.CacheRead), CacheWrite: price("cache_write", p.CacheWrite)}
	if len(below) > 0 {
		err = fmt.Errorf("%s: is below zero", strings.Join(below, ", "))
	}
	return r, err
}
