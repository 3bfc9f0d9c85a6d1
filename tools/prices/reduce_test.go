package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// TestReduce: makers, clouds and resellers are kept if agents can meet them, with the keys
// that hindsql reads. A cloud's or reseller's twin of a maker's model is left out.
func TestReduce(t *testing.T) {
	list, err := reduce([]byte(`{
		"sample_spec": {"litellm_provider": "one of …", "mode": "one of …", "input_cost_per_token": 0, "output_cost_per_token": 0},
		"big-3": {"litellm_provider": "anthropic", "mode": "chat", "max_tokens": 9, "input_cost_per_token": 1, "output_cost_per_token": 2,
			"cache_creation_input_token_cost_above_1hr_above_200k_tokens": 3, "input_cost_per_token_batches": 0.5},
		"us.anthropic.big-3-v1:0": {"litellm_provider": "bedrock_converse", "mode": "chat", "input_cost_per_token": 1.1, "output_cost_per_token": 2.2},
		"azure_ai/big-3": {"litellm_provider": "azure_ai", "mode": "chat", "input_cost_per_token": 1, "output_cost_per_token": 2,
			"cache_creation_input_token_cost_above_1hr_above_200k_tokens": 3},
		"bedrock/eu-west-1/big-4": {"litellm_provider": "bedrock", "mode": "chat", "input_cost_per_token": 1, "output_cost_per_token": 2},
		"groq/big-3": {"litellm_provider": "groq", "mode": "chat", "input_cost_per_token": 7, "output_cost_per_token": 8},
		"groq/open-1": {"litellm_provider": "groq", "mode": "chat", "input_cost_per_token": 7, "output_cost_per_token": 8},
		"big-3-image": {"litellm_provider": "openai", "mode": "image_generation", "input_cost_per_token": 1, "output_cost_per_token": 2},
		"unknown/big-5": {"litellm_provider": "unknown", "mode": "chat", "input_cost_per_token": 1, "output_cost_per_token": 2},
		"dashscope/tiers": {"litellm_provider": "dashscope", "mode": "chat", "tiered_pricing": [{"range": [0, 32000], "input_cost_per_token": 1, "output_cost_per_token": 2, "note": "x"}]}}`))
	var got map[string]map[string]any
	if err := cmp.Or(err, json.Unmarshal(list, &got)); err != nil {
		t.Fatal(err)
	}
	want := []string{"big-3", "dashscope/tiers", "groq/open-1", "us.anthropic.big-3-v1:0"}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
		t.Errorf("models %q, want %q", names, want)
	}
	keys := []string{"cache_creation_input_token_cost_above_1hr_above_200k_tokens", "input_cost_per_token", "output_cost_per_token"}
	if names := slices.Sorted(maps.Keys(got["big-3"])); !slices.Equal(names, keys) {
		t.Errorf("big-3 has %q, want %q", names, keys)
	}
	if tiers, _ := json.Marshal(got["dashscope/tiers"]); string(tiers) != `{"tiered_pricing":[{"input_cost_per_token":1,"output_cost_per_token":2,"range":[0,32000]}]}` {
		t.Errorf("tiers %s", tiers)
	}
	if _, err := reduce([]byte(`{"a": {}}`)); err == nil {
		t.Error("a list without prices is taken")
	}
}
