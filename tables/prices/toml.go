package prices

import (
	"cmp"
	"errors"
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
	Hour       *float64 `toml:"cache_write_1h"`
}

// model is a table of the file.
type model struct {
	perMillion
	Names []string       `toml:"names"` // other names of the model
	Above toml.Primitive `toml:"above"` // a tier, or a list of tiers
}

// tier holds the prices of large requests.
type tier struct {
	Tokens int64 `toml:"tokens"`
	perMillion
}

// parseTOML reads a list in hindsql's own form: a TOML table for each model.
func parseTOML(text []byte) ([]tables.Price, error) {
	var models map[string]model
	facts, err := toml.Decode(string(text), &models)
	if err != nil {
		return nil, err
	}
	var list []tables.Price
	for name, m := range models {
		price := tables.Price{}
		if price.Rates, err = m.rates(); err == nil {
			price.Tiers, err = m.tiers(name, &facts)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, price.Model = range append(m.Names, name) {
			list = append(list, price)
		}
	}
	if unknown := facts.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s: unknown; a model has input, output, cache_read, cache_write, cache_write_1h, names and above", unknown[0])
	}
	return list, nil
}

// tiers returns the tiers of table [name.above], or of tables [[name.above]].
func (m model) tiers(name string, facts *toml.MetaData) (list []tables.Tier, err error) {
	if !facts.IsDefined(name, "above") {
		return nil, nil
	}
	written := make([]tier, 1)
	if facts.Type(name, "above") == "Hash" {
		err = facts.PrimitiveDecode(m.Above, &written[0])
	} else {
		err = facts.PrimitiveDecode(m.Above, &written)
	}
	for _, t := range written {
		rates, wrong := t.rates()
		if wrong == nil && t.Tokens <= 0 {
			wrong = errors.New("tokens: is missing")
		}
		if err = cmp.Or(err, wrong); err != nil {
			return nil, fmt.Errorf("above: %w", err)
		}
		list = append(list, tables.Tier{Above: t.Tokens, Rates: rates})
	}
	return list, err
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
	r = tables.Rates{
		Input: price("input", p.Input).Value, Output: price("output", p.Output).Value,
		CacheRead: price("cache_read", p.CacheRead), CacheWrite: price("cache_write", p.CacheWrite), CacheWrite1h: price("cache_write_1h", p.Hour),
	}
	if len(below) > 0 {
		err = fmt.Errorf("%s: is below zero", strings.Join(below, ", "))
	}
	return r, err
}
