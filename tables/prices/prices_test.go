package prices_test

import (
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
		{Model: "large", Rates: tables.Rates{Input: 3e-6, Output: 1.5e-5, CacheRead: tables.Some(3e-7)}, Above: 200_000,
			Over: tables.Rates{Input: 6e-6, Output: 2.25e-5, CacheRead: tables.Some(6e-7)}},
		{Model: "p/small", Rates: tables.Rates{Input: 1e-6, Output: 2e-6}},
	}
	for name, text := range map[string]string{
		"prices.json": `{
			"sample_spec": {"input_cost_per_token": 0.0, "max_tokens": "a sentence"},
			"picture": {"output_cost_per_image": 0.04},
			"large": {"input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05, "cache_read_input_token_cost": 3e-07,
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
			[large.above]
			tokens = 200_000
			input = 6.0
			output = 22.5
			cache_read = 0.6`,
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

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                               "has no model with a price of input and of output; docs/prices.md",
		"[1]":                              "cannot unmarshal",
		"toml:[a]\ninput = 1":              "a: input and output are needed",
		"toml:[a]\ninput = -1\noutput = 1": "a: input: is below zero",
		"toml:[a]\ninput = 1\noutptu = 1":  "a.outptu: unknown; a model has",
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
	file, err := prices.Look(list)
	if err != nil || file.Models != 2 || file.ModifiedAt.IsZero() {
		t.Errorf("%+v, %v; want two models", file, err)
	}
}
