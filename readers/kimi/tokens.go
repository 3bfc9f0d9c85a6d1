package kimi

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// usage handles the tokens of one request to the model. A step's tokens are its answer's;
// those of a compaction, and of a step that left nothing, are a message of their own
// (FORMAT.md §8).
func (w *wire) usage(v *fastjson.Value) {
	usage := v.Get("usage")
	m := &tables.Message{Role: tables.RoleSystem, Kind: tables.KindUsage, Model: w.compacting.model}
	if s := w.step; s != nil && readers.Text(v, "usageScope") != "session" {
		if m.Model = s.Model; !s.closed || !s.isEmpty() {
			s.spent = true
			spend(s.Message, usage)
			return
		}
	}
	if spend(m, usage); !m.OutputTokens.OK {
		return
	}
	m.UUID, m.Timestamp, m.Line = w.talk.name("usage"), w.talk.at, w.talk.line
	s := &said{Message: m, record: w.talk.record}
	if open := w.open(); open != nil {
		open.after = append(open.after, s)
		return
	}
	w.talk.say(s)
}

// spend adds the tokens of a request to a message. Input excludes the cache. All zeros
// mean that the request was cut before the server counted.
func spend(m *tables.Message, u *fastjson.Value) {
	counts := []tables.Maybe[int64]{readers.Count(u, "inputOther"), readers.Count(u, "output"), readers.Count(u, "inputCacheRead"), readers.Count(u, "inputCacheCreation")}
	any := false
	for _, n := range counts {
		any = any || n.OK && n.Value != 0
	}
	if !any {
		return
	}
	for i, sum := range []*tables.Maybe[int64]{&m.InputTokens, &m.OutputTokens, &m.CacheReadTokens, &m.CacheWriteTokens} {
		*sum = add(*sum, counts[i])
	}
	m.TokensReliable = tables.Maybe[bool]{Value: m.OutputTokens.OK, OK: m.OutputTokens.OK}
}

// add returns the sum of two counts. A count that is no number stays none, so that the
// rows report it.
func add(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	switch {
	case !b.OK, a.OK && a.Value == tables.NotACount:
		return a
	case !a.OK, b.Value == tables.NotACount, b.Value > tables.MostCounted:
		return b
	}
	return tables.Some(a.Value + b.Value)
}
