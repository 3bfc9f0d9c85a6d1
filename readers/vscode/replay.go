package vscode

import (
	"strconv"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// replay rebuilds a session from a mutation log (FORMAT.md §2.2): each line changes the
// value that the earlier lines built. The parsed lines become parts of the value
// without a copy.
type replay struct {
	state *fastjson.Value // nil before the first line
	kinds *readers.Kinds
	emit  func(tables.Event)
	known []*knownRequest // in the order of their first appearance
	byID  map[string]*knownRequest
}

// knownRequest is the last version of a request that the log wrote, even if a later
// line removed the request.
type knownRequest struct {
	id    string
	value *fastjson.Value
	line  int64 // the line that brought it
	place int   // index in known
}

// padding is how far an index may lie beyond the end of its array. The writer never
// leaves gaps, and a damaged file must not fill the memory.
const padding = 1024

// starts lists the beginnings of a line, at which reading resumes after damage.
var starts = []string{`{"kind":`}

// partsDepth is the depth of a request's response parts in a line with the whole session:
// {"v":{"requests":[{"response":[
const partsDepth = 4

// maxKeys is the size from which an object gets no new keys. A new key is compared
// with all others, so a damaged file could make this slow.
const maxKeys = 4096

var entryKinds = []string{"log entry: whole", "log entry: set", "log entry: push", "log entry: delete"}

// apply applies one line of the log.
func (r *replay) apply(v *fastjson.Value, line readers.Line) {
	n := readers.Int(v, "kind")
	if !n.OK || n.Value < 0 || n.Value >= int64(len(entryKinds)) {
		r.kinds.Count("log entry: other", false, "", noTime)
		return
	}
	kind := int(n.Value)
	r.kinds.Count(entryKinds[kind], true, "", noTime)
	if kind == 0 {
		r.state = v.Get("v")
		r.recordRequests(0, line.Number)
		return
	}
	if r.state == nil {
		r.state = fastjson.NewObject()
		r.reportProblem(line, "log begins without its initial entry; VS Code refuses it, here it is read from an empty session on")
	}
	path := v.GetArray("k")
	if len(path) == 0 {
		return
	}
	before := len(r.state.GetArray("requests"))
	if !r.change(kind, path, v) {
		r.reportProblem(line, "change to what the log doesn't hold")
		return
	}
	if len(path) > 2 || readers.Text(path[0]) != "requests" {
		return // inside a request, or elsewhere
	}
	if kind != 2 || len(path) > 1 {
		before = 0
	} else if cut := readers.Int(v, "i"); cut.OK {
		before = min(before, int(cut.Value))
	}
	r.recordRequests(before, line.Number)
}

func (r *replay) reportProblem(line readers.Line, what string) {
	r.emit(&tables.Problem{Line: line.Number, ByteOffset: line.Offset, What: what, Excerpt: readers.Excerpt(line.Bytes)})
}

// change applies a set, push or delete. It returns false if the path doesn't exist.
func (r *replay) change(kind int, path []*fastjson.Value, entry *fastjson.Value) bool {
	at := r.state
	for i, key := range path[:len(path)-1] {
		next := child(at, key)
		if readers.IsNull(next) {
			// The log lost lines. VS Code would throw.
			if next = fastjson.NewObject(); path[i+1].Type() == fastjson.TypeNumber {
				next = fastjson.NewArray()
			}
			if !put(at, key, next) {
				return false
			}
		}
		at = next
	}
	last := path[len(path)-1]
	switch value := entry.Get("v"); {
	case kind == 2:
		return r.push(at, last, value, readers.Int(entry, "i"))
	case kind == 3 || value == nil:
		return remove(at, last)
	default:
		return put(at, last, value)
	}
}

// push shortens the array under key to length, if that is given, and appends the values
// in tail. It returns false if key holds no array.
func (r *replay) push(at, key, tail *fastjson.Value, length tables.Maybe[int64]) bool {
	array := child(at, key)
	if array == nil || array.Type() != fastjson.TypeArray {
		array = fastjson.NewArray()
		if !put(at, key, array) {
			return false
		}
	}
	n := len(array.GetArray())
	if length.OK {
		if length.Value < 0 || length.Value > int64(n+padding) {
			return false
		}
		for ; n > int(length.Value); n-- {
			array.Del(strconv.Itoa(n - 1))
		}
		if n < int(length.Value) {
			n = int(length.Value)
			array.SetArrayItem(n-1, nil)
		}
	}
	for i, v := range tail.GetArray() {
		array.SetArrayItem(n+i, v)
	}
	return true
}

// child returns the value under a key: a name in an object, an index in an array.
func child(at, key *fastjson.Value) *fastjson.Value {
	items, n := at.GetArray(), readers.Int(key)
	switch {
	case n.OK && n.Value >= 0 && n.Value < int64(len(items)):
		return items[n.Value]
	case n.OK, at.Type() != fastjson.TypeObject:
		return nil
	}
	return at.Get(readers.Text(key))
}

// put sets the value under a key. It returns false if the key doesn't fit the value.
func put(at, key, value *fastjson.Value) bool {
	if n := readers.Int(key); n.OK {
		if at.Type() != fastjson.TypeArray || n.Value < 0 || n.Value > int64(len(at.GetArray())+padding) {
			return false
		}
		at.SetArrayItem(int(n.Value), value)
		return true
	}
	if at.Type() != fastjson.TypeObject || key.Type() != fastjson.TypeString || at.GetObject().Len() > maxKeys {
		return false
	}
	at.Set(readers.Text(key), value)
	return true
}

// remove deletes a key. An array keeps its length, as in JavaScript.
func remove(at, key *fastjson.Value) bool {
	if at.Type() == fastjson.TypeArray && child(at, key) != nil {
		return put(at, key, nil)
	}
	if at.Type() == fastjson.TypeObject && key.Type() == fastjson.TypeString {
		at.Del(readers.Text(key))
	}
	return true
}

// recordRequests records as known the requests with an index of at least from. line is
// the log's line that wrote them.
func (r *replay) recordRequests(from int, line int64) {
	list := r.state.GetArray("requests")
	for _, v := range list[min(from, len(list)):] {
		id := readers.Text(v, "requestId")
		if id == "" {
			continue
		}
		k := r.byID[id]
		if k == nil {
			if r.byID == nil {
				r.byID = map[string]*knownRequest{}
			}
			k = &knownRequest{id: id, line: line, place: len(r.known)}
			r.byID[id] = k
			r.known = append(r.known, k)
		}
		k.value = v
	}
}

// each calls visit for every request of the log: the final ones in order, and each
// removed one before the next final one that came later in the log. visit gets the
// values in place, not copies.
func (r *replay) each(visit func(v *fastjson.Value, line int64, removed bool)) {
	final := r.state.GetArray("requests")
	stays := map[string]bool{}
	for _, v := range final {
		stays[readers.Text(v, "requestId")] = true
	}
	next := 0
	removed := func(until int) {
		for ; next < until; next++ {
			if k := r.known[next]; !stays[k.id] {
				visit(k.value, k.line, true)
			}
		}
	}
	for _, v := range final {
		line := int64(0)
		if k := r.byID[readers.Text(v, "requestId")]; k != nil {
			removed(k.place)
			line = k.line
		}
		visit(v, line, false)
	}
	removed(len(r.known))
}
