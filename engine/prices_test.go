package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// ofModel is a message of a model, with tokens read, written, and of the cache.
func ofModel(n int, model string, read, output, cached, written int) string {
	return line(n, fmt.Sprintf(`,"message_id":"m%d","model":%q,"tokens":%d,"read":%d,"cached":%d,"written":%d`, n, model, output, read, cached, written))
}

// priced holds prices chosen to make sums easy to tell apart.
var priced = []tables.Price{
	{Model: "big-3", Rates: tables.Rates{Input: 1, Output: 10, CacheRead: tables.Some(0.5), CacheWrite: tables.Some(2.0), CacheWrite1h: tables.Some(4.0)},
		Tiers: []tables.Tier{
			{Above: 5000, Rates: tables.Rates{Input: 7, Output: 70}},
			{Above: 1000, Rates: tables.Rates{Input: 3, Output: 30, CacheRead: tables.Some(1.5), CacheWrite: tables.Some(6.0)}},
		}},
	{Model: "some/big-3", Rates: tables.Rates{Input: 100, Output: 100}},
	{Model: "Small-1.5-20250101", Rates: tables.Rates{Input: 1, Output: 2}},
	{Model: "given:free", Rates: tables.Rates{}},
	{Model: "given-away", Rates: tables.Rates{}},
}

// syncAt is a sync with a list of prices, known by its mark.
func syncAt(h *home, mark string, read func() ([]tables.Price, error)) engine.SyncReport {
	h.T.Helper()
	c := h.Config()
	c.Prices = engine.Prices{Mark: mark, Read: read}
	s := open(h.T, c)
	defer s.Close()
	report, err := s.Sync(context.Background(), engine.SyncOptions{})
	must(h.T, err)
	return report
}

const costs = "SELECT session_id, cost_estimated_usd FROM sessions ORDER BY ALL"

// TestEstimates: estimates depend on the kind of token and on the model. A message
// without a price has no estimate, nor has its session. A session without tokens has no
// known cost. A message with the total tokens of many requests isn't priced as one
// large request.
func TestEstimates(t *testing.T) {
	whole.Test(t, "loads several stores, 1.0 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("kinds.jsonl", `{"session":"kinds"}`+"\n", ofModel(1, "big-3", 2, 3, 4, 5), ofModel(2, "BIG-3", 1000, 1, 0, 0))
	h.Write("long.jsonl", `{"session":"long"}`+"\n", ofModel(3, "big-3", 1, 1, 1000, 0))
	h.Write("longest.jsonl", `{"session":"longest"}`+"\n", ofModel(14, "big-3", 5000, 1, 0, 0), ofModel(15, "big-3", 5001, 1, 0, 0))
	h.Write("hours.jsonl", `{"session":"hours"}`+"\n", line(16, `,"message_id":"m16","model":"big-3","tokens":1,"written":5,"hour":3`), line(17, `,"message_id":"m17","model":"big-3","tokens":1,"written":5,"hour":9`))
	h.Write("named.jsonl", `{"session":"named"}`+"\n", ofModel(4, "us.anthropic.small-1-5-v1:0", 1, 1, 10, 0), ofModel(5, "router/Small-1.5[1m]", 1, 1, 0, 0))
	h.Write("unknown.jsonl", `{"session":"unknown"}`+"\n", ofModel(6, "big-3", 1, 1, 0, 0), ofModel(7, "who", 1, 1, 0, 0))
	h.Write("free.jsonl", `{"session":"free"}`+"\n", ofModel(8, "given:free", 7, 7, 0, 0))
	h.Write("other.jsonl", `{"session":"other"}`+"\n", ofModel(9, "x/given-away", 7, 7, 0, 0))
	h.Write("total.jsonl", `{"session":"total"}`+"\n", line(13, `,"model":"big-3","tokens":1,"read":2000,"of_many":true`))
	h.Write("quiet.jsonl", `{"session":"quiet"}`+"\n", line(10, ""))
	reads := 0
	read := func() ([]tables.Price, error) { reads++; return priced, nil }
	h.Sync()
	h.Want("SELECT count(cost_estimated_usd) FROM messages", "0")
	syncAt(h, "a", read)
	want := []string{"free|0", "hours|56", "kinds|1054", "long|1533", "longest|50107", "named|16", "other|NULL", "quiet|NULL", "total|2010", "unknown|NULL"}
	h.Want(costs, want...)
	h.Want("SELECT DISTINCT model FROM messages WHERE output_tokens IS NOT NULL AND cost_estimated_usd IS NULL ORDER BY ALL", "who", "x/given-away")
	if syncAt(h, "a", read); reads != 1 {
		t.Errorf("the list was read %d times", reads)
	}

	h.Append("kinds.jsonl", ofModel(11, "big-3", 1, 1, 0, 0))
	h.Write("new.jsonl", `{"session":"new"}`+"\n", ofModel(12, "big-3", 1, 1, 0, 0))
	syncAt(h, "a", read)
	want[2] = "kinds|1065"
	h.Want(costs, slices.Insert(slices.Clone(want), 6, "new|11")...)
	if reads != 1 {
		t.Errorf("the list was read %d times, though only logs changed", reads)
	}

	syncAt(h, "b", func() ([]tables.Price, error) {
		return []tables.Price{{Model: "who", Rates: tables.Rates{Input: 1, Output: 1}}}, nil
	})
	h.Want("SELECT sum(cost_estimated_usd), count(cost_estimated_usd) FROM messages", "2|1")
	if warnings := syncAt(h, "c", func() ([]tables.Price, error) { return nil, errors.New("no list") }).Warnings; len(warnings) != 1 {
		t.Errorf("warnings %v, want that of the list", warnings)
	}
	h.Want("SELECT sum(cost_estimated_usd) FROM messages", "2")
	h.Sync()
	h.Want("SELECT count(cost_estimated_usd) FROM messages", "0")
	h.Want("SELECT count(cost_estimated_usd) FROM sessions", "0")
}

// TestEstimatesCountOnce: messages copied by a fork cost only in the session that said
// them first. A store made anew has the same estimates.
func TestEstimatesCountOnce(t *testing.T) {
	whole.Test(t, "loads several stores, 1.1 s of processor time")
	t.Parallel()
	h := newHome(t)
	read := func() ([]tables.Price, error) { return priced, nil }
	h.Write("a.jsonl", `{"session":"s1"}`+"\n", ofModel(1, "big-3", 1, 1, 0, 0), ofModel(2, "big-3", 1, 1, 0, 0))
	syncAt(h, "a", read)
	h.Write("b.jsonl", `{"session":"s2"}`+"\n", ofModel(1, "big-3", 1, 1, 0, 0), ofModel(2, "big-3", 1, 1, 0, 0), ofModel(3, "big-3", 1, 2, 0, 0))
	syncAt(h, "a", read)
	h.Want(costs, "s1|22", "s2|21")
	h.Want("SELECT sum(cost_estimated_usd) FROM messages", "43")
	h.Tamper("UPDATE store_info SET schema_hash = 'older'")
	syncAt(h, "a", read)
	h.Want(costs, "s1|22", "s2|21")
}
