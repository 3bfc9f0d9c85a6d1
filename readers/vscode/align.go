package vscode

import (
	"slices"
	"strings"
)

// The joinedBy constants say how a call that VS Code showed was matched to a call in
// the model's rounds, the most reliable way first (FORMAT.md §4.1).
const (
	joinedByID       = "id"
	joinedByStripped = "stripped id"
	joinedByOrder    = "order"
	joinedNone       = "none"
)

// matchCalls joins the calls that VS Code showed to the calls that the model made. Calls
// with equal ids are joined first. Between two such pairs, calls are joined by name,
// with as many pairs as possible. A greedy search would fail: one hidden call would
// shift all later calls.
func matchCalls(made []*call, shown []*part) {
	matchIDs(made, shown, joinedByID, func(id string) string { return id })
	matchIDs(made, shown, joinedByStripped, withoutSuffix)
	nextMade, nextShown := 0, 0
	for _, a := range anchors(made, shown) {
		align(made[nextMade:a.made], shown[nextShown:a.shown])
		nextMade, nextShown = a.made+1, a.shown+1
	}
	align(made[nextMade:], shown[nextShown:])
}

// withoutSuffix returns the model's own id of a call, without VS Code's suffix.
func withoutSuffix(id string) string {
	id, _, _ = strings.Cut(id, "__vscode")
	return id
}

func (t *call) joinTo(p *part, how string) { t.part, p.call, t.joined = p, t, how }

func matchIDs(made []*call, shown []*part, how string, idOf func(string) string) {
	byID := map[string]*call{}
	for _, t := range made {
		if t.part == nil && t.native != "" {
			byID[idOf(t.native)] = t
		}
	}
	for _, p := range shown {
		if t := byID[p.id]; t != nil && p.call == nil && t.part == nil {
			t.joinTo(p, how)
		}
	}
}

// anchor is a pair of calls joined by id: the call's index in the list of the made
// calls, and in that of the shown calls.
type anchor struct{ made, shown int }

// anchors returns the pairs joined by id that are in the same order in both lists. It
// drops pairs that are out of order.
func anchors(made []*call, shown []*part) []anchor {
	place := map[*call]int{}
	for i, t := range made {
		place[t] = i
	}
	var all []anchor
	for i, p := range shown {
		if p.call != nil {
			all = append(all, anchor{place[p.call], i})
		}
	}
	var kept []anchor
	last := -1
	for i, a := range all {
		if a.made > last && (i+1 == len(all) || a.made < all[i+1].made) {
			kept = append(kept, a)
			last = a.made
		}
	}
	return kept
}

// maxCells is the largest number of cells in an alignment table. Requests have a few
// hundred calls at most; a damaged file must not fill the memory.
const maxCells = 1 << 22

// align joins the unjoined calls between two anchors, with as many equal names as
// possible.
func align(made []*call, shown []*part) {
	made = slices.DeleteFunc(slices.Clone(made), func(t *call) bool { return t.part != nil || isNeverShown(t) })
	shown = slices.DeleteFunc(slices.Clone(shown), func(p *part) bool { return p.call != nil })
	width := len(shown) + 1
	if len(made) == 0 || len(shown) == 0 || (len(made)+1)*width > maxCells {
		return
	}
	// best[i*width+j] is the best agreement of made[i:] with shown[j:].
	best := make([]int32, (len(made)+1)*width)
	for i := len(made) - 1; i >= 0; i-- {
		for j := len(shown) - 1; j >= 0; j-- {
			at := i*width + j
			best[at] = max(best[at+1], best[at+width])
			if n := agreement(made[i], shown[j]); n > 0 {
				best[at] = max(best[at], n+best[at+width+1])
			}
		}
	}
	for i, j := 0, 0; i < len(made) && j < len(shown); {
		at := i*width + j
		n := agreement(made[i], shown[j])
		switch {
		case n > 0 && best[at] == n+best[at+width+1]:
			made[i].joinTo(shown[j], joinedByOrder)
			i, j = i+1, j+1
		case best[at] == best[at+width]:
			i++
		default:
			j++
		}
	}
}

// agreement returns how well the model's call t fits the shown part p; 0 means not at
// all. The name decides. Paths, commands and results only choose between calls with
// equal names.
func agreement(t *call, p *part) int32 {
	var n int32
	switch {
	case t.ToolName == p.name:
		n = 1 << 16
	case p.nameIsGuess && !isKnownName(t.ToolName):
		n = 1 << 8
	default:
		return 0
	}
	if samePath(t.FilePath, p.file) || t.Command != "" && (t.Command == p.terminal.original || t.Command == p.terminal.command) {
		n += 2
	}
	if t.hasResult {
		n++
	}
	return n
}
