package readers

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/valyala/fastjson"
)

// A value takes up to 500 bytes once a line is taken apart, however few it took
// in the line. So a line that is made of small ones is not: lists and objects
// of thousands of them are kept as a text, their JSON as it stands.
const (
	manyValues    = 200_000 // that are taken apart in any case
	bytesPerValue = 96      // of the line, that more of them need
	fewValues     = 10_000  // a list or object of no more than them is taken apart
	ordinarySpine = 1       // how deep lies what may be folded: all but the whole
	deepSpine     = 4       // how deep lies what is folded first: the contents of a message's parts
	deepest       = fastjson.MaxDepth
	keptValues    = 2_000_000 // of a log whose lines are kept: there a line is the whole session
)

var errTooMany = errors.New("too many values")

// room is for how many values there may be.
type room struct {
	most   int // however small they are
	values int // that are there already, of a log whose lines are kept
	bytes  int // that they came from
}

func (r room) allows(b []byte, values int) bool {
	values += r.values
	return values <= r.most || values <= (r.bytes+len(b))/bytesPerValue
}

// tooMany says whether a text has more values than there is room for, and how
// many it has, or a little more.
func (r room) tooMany(b []byte) (values int, tooMany bool) {
	if r.values == 0 && len(b) < 2*r.most {
		return 0, false
	}
	// At most, as texts may hold such bytes too.
	if values = 1 + bytes.Count(b, []byte{','}) + bytes.Count(b, []byte{'['}) + bytes.Count(b, []byte{'{'}); r.allows(b, values) {
		return values, false
	}
	f := folds{spine: deepest + 1}
	if !f.find(b) {
		return values, true
	}
	return f.values, !r.allows(b, f.values)
}

// tooMany says whether a text has too many values to be taken apart at once.
func tooMany(b []byte) bool {
	_, too := room{most: manyValues}.tooMany(b)
	return too
}

// fold makes texts of the deepest large lists and objects of a value, at spine
// or deeper. The words say what became of it. [errTooMany] means that there are
// too many values all the same.
func (r room) fold(b []byte, spine int) (folded []byte, words string, err error) {
	for at := max(spine, deepSpine); at >= spine; at-- {
		f := folds{spine: at}
		if !f.find(b) {
			break
		}
		if r.allows(b, f.values) {
			return f.apply(b), fmt.Sprintf("%d values: lists and objects of more than %d, %d of them, were kept as text", f.all, fewValues, len(f.places)), nil
		}
		words = fmt.Sprintf("%d values in %d bytes: more than %d are not read", f.all, len(b), r.most)
	}
	if words == "" {
		words = fmt.Sprintf("more than %d values, nested too deep", r.most)
	}
	return nil, words, errTooMany
}

// folds are the places of a value that become texts.
type folds struct {
	spine       int // the least depth of such a place; the whole is at 0
	places      []place
	values, all int // how many there are then, and how many there were
}

// place is a list or an object: b[from:to].
type place struct{ from, to int }

// container is a list or an object that hasn't ended.
type container struct {
	from   int
	values int // that it holds, those inside the others included
	all    int
	places int // how many there were before it
}

// find goes over the value; false where it isn't nested as a value is.
func (f *folds) find(b []byte) bool {
	open := []container{{}}
	for i := 0; i < len(b); i++ {
		top := &open[len(open)-1]
		switch b[i] {
		case '"':
			n := stringEnd(b[i+1:])
			if n < 0 {
				return false
			}
			i += n
		case ',':
			top.values++
			top.all++
		case '{', '[':
			if len(open) > deepest {
				return false
			}
			// One of its own, as it has one more than commas; an empty one counts too.
			open = append(open, container{from: i, values: 1, all: 1, places: len(f.places)})
		case '}', ']':
			if len(open) == 1 {
				return false
			}
			open = open[:len(open)-1]
			if depth := len(open) - 1; depth >= f.spine && top.values > fewValues {
				f.places = append(f.places[:top.places], place{top.from, i + 1})
				top.values = 0
			}
			above := &open[len(open)-1]
			above.values += top.values
			above.all += top.all
		}
	}
	f.values, f.all = open[0].values+1, open[0].all+1
	return len(open) == 1
}

// stringEnd is the length of a string with the quote behind it, -1 where there is none.
func stringEnd(b []byte) int {
	for at := 0; ; {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			return -1
		}
		at += n + 1
		slashes := 0
		for j := at - 2; j >= 0 && b[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
	}
}

// apply writes the value with a text at each place.
func (f *folds) apply(b []byte) []byte {
	size := len(b)
	for _, p := range f.places {
		size += 2 + bytes.Count(b[p.from:p.to], []byte{'"'}) + bytes.Count(b[p.from:p.to], []byte{'\\'})
	}
	out := make([]byte, 0, size)
	done := 0
	for _, p := range f.places {
		out = append(append(out, b[done:p.from]...), '"')
		for _, c := range b[p.from:p.to] {
			if c == '"' || c == '\\' {
				out = append(out, '\\')
			}
			out = append(out, c)
		}
		out, done = append(out, '"'), p.to
	}
	return append(out, b[done:]...)
}
