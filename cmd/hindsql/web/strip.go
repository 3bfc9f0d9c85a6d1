package web

import (
	"fmt"
	"slices"

	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// strip is a bar on a session's page that stands for the whole session, with marks for
// its important events.
type strip struct {
	Marks        []stripMark
	Here, Length float64 // start and length of the part on the page, in thousandths of the session
	Told         []stripList
	Words        string        // number of messages
	Legend       []stripLegend // the kinds of marks on the strip
	Before       string        // URL of the last refusal before the page; empty if there is none
	After        string        // URL of the first refusal after the page; empty if there is none
}

// stripLegend explains the marks of a kind.
type stripLegend struct{ Kind, Words string }

// stripMark is the mark of an event. At is its place, in thousandths of the session.
type stripMark struct {
	Kind, URL, Words string
	At               float64
	Top, Height      int
}

// stripList lists the marks of one kind as links, for people who don't see the strip.
type stripList struct {
	Name  string
	Marks []stripMark
}

// stripKinds lists the kinds of marks on the strip, with singular and plural names. The
// marks of a kind cover the marks of kinds earlier in the list.
var stripKinds = []struct {
	kind        conversation.MarkKind
	name, names string
	top, height int
	listed      bool
}{
	{conversation.MarkPrompt, "prompt", "prompts", 0, 8, false},
	{conversation.MarkError, "error", "errors", 24, 6, false},
	{conversation.MarkSkipped, "skipped or lost call", "skipped or lost calls", 18, 12, false},
	{conversation.MarkDenied, "denied call", "denied calls", 10, 20, true},
	{conversation.MarkCompaction, "compaction", "compactions", 0, 30, true},
	{conversation.MarkClear, "clear", "clears", 0, 30, true},
	{conversation.MarkStop, "stop", "stops", 10, 20, true},
	{conversation.MarkRefused, "refusal", "refusals", 10, 20, true},
}

func stripOf(w *conversation.Window, marks []conversation.Mark) (s strip) {
	all := float64(w.Last-w.First) + 1
	if w.Last < 0 {
		return s
	}
	place := func(index int64) float64 { return min(max(float64(index-w.First)/all*1000, 0), 997) }
	s.Here, s.Length = place(w.From), max(4, min(float64(w.To-w.From)/all*1000, 1000-place(w.From)))
	for _, k := range stripKinds {
		list := stripList{Name: k.names}
		for _, m := range marks {
			if !slices.Contains(m.Kinds, k.kind) {
				continue
			}
			list.Marks = append(list.Marks, stripMark{
				Kind: string(k.kind), URL: sessionURL(w.Agent, w.ID, max(m.Index, 0)), Words: fmt.Sprintf("%s at :%d", k.name, m.Index),
				At: place(m.Index), Top: k.top, Height: k.height,
			})
		}
		s.Marks = append(s.Marks, list.Marks...)
		n := len(list.Marks)
		if n == 1 {
			list.Name = k.name
		}
		if n > 0 {
			s.Legend = append(s.Legend, stripLegend{string(k.kind), words.Int(int64(n)) + " " + list.Name})
		}
		if k.listed && len(list.Marks) > 0 {
			s.Told = append(s.Told, list)
		}
	}
	s.Words = words.Quantity(w.Last-w.First+1, "message")
	s.Before, s.After = refusalsBeside(w, marks)
	return s
}

// refusalsBeside returns the URLs of the last refusal before a page, and of the first
// after it.
func refusalsBeside(w *conversation.Window, marks []conversation.Mark) (before, after string) {
	for _, m := range marks {
		if !slices.Contains(m.Kinds, conversation.MarkRefused) {
			continue
		}
		if m.Index < w.From {
			before = sessionURL(w.Agent, w.ID, max(m.Index, 0))
		} else if m.Index >= w.To && after == "" {
			after = sessionURL(w.Agent, w.ID, m.Index)
		}
	}
	return before, after
}
