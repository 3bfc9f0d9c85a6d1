package readers

import (
	"bytes"
	"errors"
	"fmt"

	"hindsql/internal/fastjson"
)

// A parsed value takes up to 500 bytes of memory, even if it has only two bytes in the
// line. So a line of many small values is not parsed in full. Lists and objects with
// thousands of values are folded: they become strings that hold their JSON unchanged.
const (
	manyValues    = 200_000 // number of values that is always parsed
	bytesPerValue = 96      // line bytes each value must have, if there are more than manyValues
	fewValues     = 10_000  // a list or object with at most this many values is parsed
	ordinarySpine = 1       // least depth of lists and objects that may be folded; the whole line has depth 0
	deepSpine     = 4       // depth that is folded first: the contents of a message's parts
	deepest       = fastjson.MaxDepth
	keptValues    = 2_000_000 // the same limit as manyValues, for all lines together of a log whose lines are kept
)

var errTooMany = errors.New("too many values")

// valueLimit is the limit for the number of parsed values.
type valueLimit struct {
	most   int // values allowed whatever their size
	values int // values parsed so far, in a log with kept lines
	bytes  int // bytes of those values
}

func (r valueLimit) allows(b []byte, values int) bool {
	values += r.values
	return values <= r.most || values <= (r.bytes+len(b))/bytesPerValue
}

// tooMany reports whether a text has more values than there is room for. values is
// their number or slightly more.
func (r valueLimit) tooMany(b []byte) (values int, tooMany bool) {
	if r.values == 0 && len(b) < 2*r.most {
		return 0, false
	}
	// This count is an upper bound: strings may hold these bytes too.
	if values = 1 + bytes.Count(b, []byte{','}) + bytes.Count(b, []byte{'['}) + bytes.Count(b, []byte{'{'}); r.allows(b, values) {
		return values, false
	}
	f := folds{spine: deepest + 1}
	if !f.find(b) {
		return values, true
	}
	return f.values, !r.allows(b, f.values)
}

// fold turns large lists and objects of a value into strings, the deepest first, down
// to depth spine at least. words tells the user what was folded. The error is
// [errTooMany] if too many values remain.
func (r valueLimit) fold(b []byte, spine int) (folded []byte, words string, err error) {
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

// folds finds the lists and objects of a value that are to become strings.
type folds struct {
	spine       int // least depth of a place; the whole value has depth 0
	places      []place
	values, all int // number of values after and before folding
}

// place is the list or object b[from:to].
type place struct{ from, to int }

// container is a list or object that hasn't ended.
type container struct {
	from   int
	values int // values inside, at any depth, minus folded ones
	all    int
	places int // len(folds.places) when the container began
}

// find finds the large lists and objects in b, and counts the values. It returns false
// if brackets or strings don't end, or the nesting is too deep.
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
			// Start at 1: values outnumber commas by one. An empty list also counts as
			// 1.
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

// stringEnd returns the length of a string up to and including its closing quote, or -1
// if the string doesn't end.
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

// apply returns the value with each list or object that find found turned into a
// string.
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
