package prices

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// LiteLLM's names for the prices of a token.
const (
	inputKey      = "input_cost_per_token"
	outputKey     = "output_cost_per_token"
	cacheReadKey  = "cache_read_input_token_cost"
	cacheWriteKey = "cache_creation_input_token_cost"
	hourKey       = cacheWriteKey + "_above_1hr"
)

// The suffix of a price for requests above a number of thousands of tokens has the number
// between these words. Further kinds of prices, such as priority and batches, are
// ignored, because logs don't record the kind.
const above, tokens = "_above_", "k_tokens"

// parseLiteLLM reads model_prices_and_context_window.json. Entries without prices of
// input and output are skipped, because only text models have both.
func parseLiteLLM(text []byte) ([]tables.Price, error) {
	v, err := fastjson.ParseBytes(text)
	if err != nil {
		return nil, err
	}
	models, err := v.Object()
	if err != nil {
		return nil, fmt.Errorf("is no object of models: %w", err)
	}
	var list []tables.Price
	for i := range models.Pairs() {
		name, facts := models.Pair(i)
		if price, ok := priceOf(facts); ok {
			price.Model = name
			list = append(list, price)
		}
	}
	return list, nil
}

// priceOf returns a model's prices. Some models have them in a list by the size of the
// request, tiered_pricing, and not in keys.
func priceOf(facts *fastjson.Value) (p tables.Price, ok bool) {
	p.Rates, ok = ratesOf(facts, "")
	listed := facts.GetArray("tiered_pricing")
	if !ok && len(listed) > 0 {
		p.Rates, ok = ratesOf(listed[0], "")
	}
	if p.Tiers = tiersInKeys(facts, p.Rates); p.Tiers != nil {
		return p, ok
	}
	for _, tier := range listed {
		from := tier.GetArray("range")
		rates, known := ratesOf(tier, "")
		if !known || len(from) == 0 {
			continue
		}
		if n, err := from[0].Float64(); err == nil && n > 0 {
			p.Tiers = append(p.Tiers, tables.Tier{Above: int64(n), Rates: scaleRates(rates, p.Rates)})
		}
	}
	return p, ok
}

// tiersInKeys returns the tiers whose prices have keys of their own, lowest first.
func tiersInKeys(facts *fastjson.Value, base tables.Rates) (list []tables.Tier) {
	o := facts.GetObject()
	if o == nil {
		return nil
	}
	for i := range o.Pairs() {
		key, _ := o.Pair(i)
		suffix, isTier := strings.CutPrefix(key, inputKey)
		number, isCount := strings.CutSuffix(strings.TrimPrefix(suffix, above), tokens)
		thousands, err := strconv.ParseInt(number, 10, 32)
		if !isTier || !isCount || err != nil {
			continue
		}
		if rates, ok := ratesOf(facts, suffix); ok {
			list = append(list, tables.Tier{Above: thousands * 1000, Rates: scaleRates(rates, base)})
		}
	}
	slices.SortFunc(list, func(a, b tables.Tier) int { return cmp.Compare(a.Above, b.Above) })
	return list
}

// ratesOf returns the rates whose keys end in suffix. ok is false if the input or
// output price is missing.
func ratesOf(facts *fastjson.Value, suffix string) (r tables.Rates, ok bool) {
	input, output := number(facts, inputKey+suffix), number(facts, outputKey+suffix)
	r = tables.Rates{
		Input: input.Value, Output: output.Value,
		CacheRead: number(facts, cacheReadKey+suffix), CacheWrite: number(facts, cacheWriteKey+suffix), CacheWrite1h: number(facts, hourKey+suffix),
	}
	return r, input.OK && output.OK
}

// number returns a price; missing if the value isn't a number or is below zero.
func number(facts *fastjson.Value, key string) tables.Maybe[float64] {
	n := facts.Get(key)
	if n == nil {
		return tables.Maybe[float64]{}
	}
	v, err := n.Float64()
	return tables.Maybe[float64]{Value: v, OK: err == nil && v >= 0}
}

// scaleRates returns the rates of a tier. If the list has no cache rate of the tier, the
// base's cache rate is multiplied by the factor by which the input rate rises.
func scaleRates(over, base tables.Rates) tables.Rates {
	scale := func(price *tables.Maybe[float64], under tables.Maybe[float64]) {
		if !price.OK && under.OK && base.Input > 0 {
			*price = tables.Some(under.Value * over.Input / base.Input)
		}
	}
	scale(&over.CacheRead, base.CacheRead)
	scale(&over.CacheWrite, base.CacheWrite)
	scale(&over.CacheWrite1h, base.CacheWrite1h)
	return over
}
