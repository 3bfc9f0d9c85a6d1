package kimi

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// branches are the branches of a wire. An undo goes on with a new branch, from an
// earlier line of another; the lines in between stay in the file (FORMAT.md §7).
type branches struct {
	list   []branch       // in the order of the lines; the first is main, and implied
	paired map[int64]bool // lines of context.undo that only repeat an agent.switched
}

// branch is a run of lines, from the line after its own to the next branch's.
type branch struct {
	name   string
	from   int64 // number of the line that begins it
	base   string
	baseAt int64 // last line of base that stays
}

// switched handles the line that begins a branch.
func (w *wire) switched(v *fastjson.Value) {
	w.closeStep()
	base := readers.Int(v, "base", "line")
	name := readers.Text(v, "branch")
	if name == "" || !base.OK || !v.Exists("base", "branch") {
		return // Kimi Code ignores such a line, too
	}
	w.branches.add(branch{name: name, from: w.chat.record, base: readers.Text(v, "base", "branch"), baseAt: base.Value})
	if line := readers.Int(v, "legacyUndoLine"); line.OK {
		w.branches.paired[line.Value] = true
	}
}

func (b *branches) add(one branch) {
	if b.paired == nil {
		b.paired = map[int64]bool{}
	}
	b.list = append(b.list, one)
}

// current returns the name of the branch that goes on.
func (b *branches) current() string {
	if n := len(b.list); n > 0 {
		return b.list[n-1].name
	}
	return mainBranch
}

const mainBranch = "main"

// undo handles an undo of versions without branches: it takes back the last prompts.
func (w *wire) undo(v *fastjson.Value) {
	w.closeStep()
	if n := len(w.branches.list); w.branches.paired[w.chat.record] || n > 0 && w.branches.list[n-1].from == w.chat.record-1 {
		return
	}
	count := readers.Int(v, "count").Value
	at := int64(len(w.chat.anchors)) - count
	if count < 1 || at < 0 {
		return
	}
	first := w.chat.anchors[at]
	w.chat.anchors = w.chat.anchors[:at]
	w.branches.add(branch{name: w.chat.newID("undo"), from: w.chat.record, base: w.branches.current(), baseAt: first.record - 1})
}

// undoneMessages returns the messages off the line of branches that ends the wire.
func (b *branches) undoneMessages(all []*entry) (uuids []string) {
	if len(b.list) == 0 {
		return nil
	}
	stays := b.limits()
	undone := readers.Set{} // undone prompts
	var asides []*entry
	at := 0
	for _, s := range all {
		for at < len(b.list) && b.list[at].from < s.record {
			at++
		}
		name := mainBranch
		if at > 0 {
			name = b.list[at-1].name
		}
		switch limit, on := stays[name]; {
		case on && s.record <= limit:
		case s.isInjected:
			asides = append(asides, s)
		default:
			undone[s.UUID] = true
			uuids = append(uuids, s.UUID)
		}
	}
	for _, s := range asides { // Kimi Code keeps what it injected, unless it belongs to an undone prompt
		if undone[s.owner] {
			uuids = append(uuids, s.UUID)
		}
	}
	return uuids
}

// limits returns the last line that stays, by branch, of the branches that the last one
// goes back to.
func (b *branches) limits() map[string]int64 {
	byName := map[string]branch{}
	for _, one := range b.list {
		byName[one.name] = one
	}
	limits := map[string]int64{}
	name, limit := b.current(), int64(1)<<62
	for {
		if _, seen := limits[name]; seen {
			return limits // in a damaged log, branches may form a ring
		}
		limits[name] = limit
		one, is := byName[name]
		if !is {
			return limits
		}
		name, limit = one.base, one.baseAt
	}
}
