package copilot_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/copilot"
	"hindsql/tables"
)

// TestOlderVersions: the rows of real logs of 0.0.36x to 1.0.60 equal manual counts:
// exit codes, tokens of each process, models, stops.
func TestOlderVersions(t *testing.T) {
	root := filepath.Join(corpus.Home(t, "more"), ".copilot")
	logs, err := copilot.Reader.Find([]readers.Place{{Path: root, From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	tokens, models, exits, stops, wrapped := map[string]int64{}, map[string]int{}, map[int64]int{}, map[string]int{}, 0
	for _, log := range logs {
		rows := loadLog(t, root, log.Rel)
		for _, m := range rows["messages"] {
			model, _ := m["model"].(string)
			if m["kind"] == tables.KindResponse {
				models[model]++
			}
			for _, column := range []string{"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"} {
				n, _ := m[column].(int64)
				tokens[column] += n
			}
			if text, _ := m["text"].(string); strings.Contains(text, "current_datetime") {
				wrapped++
			}
		}
		for _, c := range rows["tool_calls"] {
			if n, ok := c["exit_code"].(int64); ok {
				exits[n]++
			}
		}
		for _, i := range rows["interruptions"] {
			stops[i["type"].(string)]++
		}
	}
	for _, c := range []struct{ got, want any }{
		{tokens, map[string]int64{"input_tokens": 3 + 3528 + 269175, "output_tokens": 64421, "cache_read_tokens": 321789 + 2145280, "cache_write_tokens": 19768 + 37826}},
		{models, map[string]int{"": 101, "claude-opus-4.6": 70, "claude-sonnet-4.6": 17, "gpt-5-mini": 60, "gpt-5.4-mini": 50}}, // 0.0.36x names no model
		{exits, map[int64]int{0: 104, 1: 4, 128: 2, 255: 1}},
		{stops, map[string]int{tables.InterruptedByUser: 1, tables.InterruptedBySystem: 2}},
		{wrapped, 0},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Error(diff)
		}
	}
}
