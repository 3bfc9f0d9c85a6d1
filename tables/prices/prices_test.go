package prices_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/tables"
	"hindsql/tables/prices"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRead checks that both forms give the same prices.
func TestRead(t *testing.T) {
	want := []tables.Price{
		{Model: "large", Rates: tables.Rates{Input: 3e-6, Output: 1.5e-5, CacheRead: tables.Some(3e-7), CacheWrite1h: tables.Some(6e-6)}, Tiers: []tables.Tier{
			{Above: 200_000, Rates: tables.Rates{Input: 6e-6, Output: 2.25e-5, CacheRead: tables.Some(6e-7), CacheWrite1h: tables.Some(1.2e-5)}},
			{Above: 272_000, Rates: tables.Rates{Input: 9e-6, Output: 9e-5, CacheRead: tables.Some(9e-7), CacheWrite1h: tables.Some(2e-5)}}}},
		{Model: "p/small", Rates: tables.Rates{Input: 1e-6, Output: 2e-6}},
	}
	for name, text := range map[string]string{
		"prices.json": `{
			"sample_spec": {"input_cost_per_token": 0.0, "max_tokens": "a sentence"},
			"picture": {"output_cost_per_image": 0.04},
			"large": {"input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05, "cache_read_input_token_cost": 3e-07,
				"cache_creation_input_token_cost_above_1hr": 6e-06, "cache_creation_input_token_cost_above_1hr_above_272k_tokens": 2e-05,
				"input_cost_per_token_above_200k_tokens": 6e-06, "output_cost_per_token_above_200k_tokens": 2.25e-05,
				"input_cost_per_token_above_272k_tokens": 9e-06, "output_cost_per_token_above_272k_tokens": 9e-05,
				"input_cost_per_token_above_200k_tokens_priority": 1},
			"p/small": {"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06, "cache_read_input_token_cost": null}}`,
		"prices.toml": `
			["p/small"]
			input = 1
			output = 2
			[large]
			input = 3.0
			output = 15.0
			cache_read = 0.3
			cache_write_1h = 6
			[[large.above]]
			tokens = 200_000
			input = 6.0
			output = 22.5
			cache_read = 0.6
			cache_write_1h = 12
			[[large.above]]
			tokens = 272_000
			input = 9
			output = 90
			cache_read = 0.9
			cache_write_1h = 20`,
	} {
		got, err := prices.Read(write(t, name, text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 })); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// TestTieredPricing: a model may have its prices only in a list by the size of the
// request, and a single TOML table is one tier.
func TestTieredPricing(t *testing.T) {
	want := []tables.Price{{Model: "q", Rates: tables.Rates{Input: 1e-6, Output: 5e-6}, Tiers: []tables.Tier{{Above: 32_000, Rates: tables.Rates{Input: 2e-6, Output: 9e-6}}}}}
	for name, text := range map[string]string{
		"prices.json": `{"q": {"tiered_pricing": [{"input_cost_per_token": 1e-06, "output_cost_per_token": 5e-06, "range": [0, 32000.0]},
			{"input_cost_per_token": 2e-06, "output_cost_per_token": 9e-06, "range": [32000.0, 1000000.0]}]}}`,
		"prices.toml": "[q]\ninput = 1\noutput = 5\n[q.above]\ntokens = 32000\ninput = 2\noutput = 9",
	} {
		got, err := prices.Read(write(t, name, text))
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 })); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                               "has no model with a price of input and of output; docs/prices.md",
		"[1]":                              "is no object of models",
		"toml:[a]\ninput = 1":              "a: input and output are needed",
		"toml:[a]\ninput = -1\noutput = 1": "a: input: is below zero",
		"toml:[a]\ninput = 1\noutput = 1\noutptu = 1":                       "a.outptu: unknown; a model has",
		"toml:[a]\ninput = 1\noutput = 1\n[a.above]\ninput = 1\noutput = 2": "a: above: tokens: is missing",
	} {
		name := "prices.json"
		if rest, ok := strings.CutPrefix(text, "toml:"); ok {
			name, text = "prices.toml", rest
		}
		if _, err := prices.Read(write(t, name, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestFind checks that JSON comes before TOML, and that a folder is no list.
func TestFind(t *testing.T) {
	folder := t.TempDir()
	if got := prices.Find(folder); got != "" {
		t.Errorf("found %s in an empty folder", got)
	}
	list := filepath.Join(folder, "prices.toml")
	if err := os.WriteFile(list, []byte("[a]\ninput = 1\noutput = 1\nnames = [\"b\"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "prices.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := prices.Find(folder); got != list {
		t.Errorf("found %s, want %s", got, list)
	}
	file, err := prices.Inspect(list)
	if err != nil || file.Models != 2 || file.ModifiedAt.IsZero() {
		t.Errorf("%+v, %v; want two models", file, err)
	}
}

// TestBuiltIn: the built-in list is small enough, is the one that litellm.txt names, and
// has what the agents' logs name most.
func TestBuiltIn(t *testing.T) {
	packed, err := os.ReadFile("litellm.json.gz")
	if err != nil || len(packed) > 150_000 {
		t.Fatalf("%d bytes, %v; the binary has room for 150,000", len(packed), err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(packed)); !strings.HasSuffix(prices.BuiltInFingerprint(), sum) {
		t.Errorf("mark %q, want the sum %s", prices.BuiltInFingerprint(), sum)
	}
	if day, from := prices.BuiltInDate(); day.Year() < 2026 || !strings.HasPrefix(from, "litellm ") {
		t.Errorf("dated %v, from %q", day, from)
	}
	list, err := prices.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]tables.Price{}
	for _, p := range list {
		byName[p.Model] = p
	}
	for _, name := range []string{
		"claude-opus-4-5", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "gpt-5-codex", "gemini-2.5-pro", "vertex_ai/gemini-3-pro-preview",
		"moonshot/kimi-k2.5", "xai/grok-code-fast-1", "dashscope/qwen3-coder-plus", "deepseek-v4-pro", "mistral/devstral-medium-latest", "zai/glm-4.7",
	} {
		if p := byName[name]; p.Input <= 0 || p.Output <= p.Input {
			t.Errorf("%s: %+v, want prices of input and of output", name, p)
		}
	}
	if hour := byName["claude-opus-4-5"].CacheWrite1h; !hour.OK || hour.Value <= byName["claude-opus-4-5"].CacheWrite.Value {
		t.Errorf("claude-opus-4-5: an hour costs %v", hour)
	}
	if tiers := byName["dashscope/qwen3-coder-plus"].Tiers; len(tiers) < 2 {
		t.Errorf("dashscope/qwen3-coder-plus: %d tiers", len(tiers))
	}
}
