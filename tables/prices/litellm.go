package prices

import (
	"encoding/json"
	"slices"
	"strconv"

	"hindsql/internal/pattern"
	"hindsql/tables"
)

// LiteLLM's names for the prices of a token.
const (
	inputKey      = "input_cost_per_token"
	outputKey     = "output_cost_per_token"
	cacheReadKey  = "cache_read_input_token_cost"
	cacheWriteKey = "cache_creation_input_token_cost"
)

// above matches the suffix of a price for requests above a number of thousands of
// tokens. Further tiers, such as priority, are ignored, because logs don't record the
// tier.
var above = pattern.Lazy(`^` + inputKey + `(_above_([0-9]+)k_tokens)$`)

// parseLiteLLM reads model_prices_and_context_window.json. Entries without prices of
// input and output are skipped, because only text models have both.
func parseLiteLLM(text []byte) ([]tables.Price, error) {
	var models map[string]map[string]any
	if err := json.Unmarshal(text, &models); err != nil {
		return nil, err
	}
	var list []tables.Price
	for name, facts := range models {
		rates, ok := ratesOf(facts, "")
		if !ok {
			continue
		}
		price := tables.Price{Model: name, Rates: rates}
		price.Above, price.Over = tier(facts)
		list = append(list, price)
	}
	return list, nil
}

// ratesOf returns the rates whose keys end in suffix. ok is false if the input or
// output price is missing.
func ratesOf(facts map[string]any, suffix string) (r tables.Rates, ok bool) {
	input, output := number(facts, inputKey+suffix), number(facts, outputKey+suffix)
	r = tables.Rates{Input: input.Value, Output: output.Value, CacheRead: number(facts, cacheReadKey+suffix), CacheWrite: number(facts, cacheWriteKey+suffix)}
	return r, input.OK && output.OK
}

// number returns a price; missing if the value isn't a number or is below zero.
func number(facts map[string]any, key string) tables.Maybe[float64] {
	v, ok := facts[key].(float64)
	return tables.Maybe[float64]{Value: v, OK: ok && v >= 0}
}

// tier returns the lowest number of tokens above which a request costs more, and the
// rates above that number; 0 if the price doesn't change. If the list has no cache rate
// above that number, tier multiplies the ordinary cache rate by the factor by which the
// input rate rises.
func tier(facts map[string]any) (mark int64, over tables.Rates) {
	var suffixes []string
	for key := range facts {
		if m := above.FindStringSubmatch(key); m != nil {
			suffixes = append(suffixes, m[1])
		}
	}
	slices.Sort(suffixes) // any stable order
	for _, suffix := range suffixes {
		thousands, err := strconv.ParseInt(above.FindStringSubmatch(inputKey + suffix)[2], 10, 32)
		rates, ok := ratesOf(facts, suffix)
		if err != nil || !ok || mark > 0 && thousands*1000 > mark {
			continue
		}
		mark, over = thousands*1000, rates
		base, _ := ratesOf(facts, "")
		scale(&over.CacheRead, base.CacheRead, over.Input, base.Input)
		scale(&over.CacheWrite, base.CacheWrite, over.Input, base.Input)
	}
	return mark, over
}

func scale(price *tables.Maybe[float64], base tables.Maybe[float64], over, under float64) {
	if !price.OK && base.OK && under > 0 {
		*price = tables.Some(base.Value * over / under)
	}
}
