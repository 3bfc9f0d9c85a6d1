package readers

import "bytes"

// Rows finds the lines on which the records of a document begin, by the records' ids.
type Rows struct {
	text []byte // text after the last found id
	row  int64  // line on which text begins, 1-based
	left int    // bytes that may still be searched without success
}

// searches limits the time lost on ids that the text doesn't hold literally. All
// searches without success together read at most this many times the text.
const searches = 16

// RowsOf returns the Rows of a document's text.
func RowsOf(text []byte) Rows { return Rows{text, 1, searches * len(text)} }

// Of returns the 1-based line on which the record with the id begins. If the id isn't
// found, or the search limit is used up, it returns the line of the last found id. The
// caller must ask for records in document order.
func (r *Rows) Of(id []byte) int64 {
	if len(id) == 0 || r.left <= 0 {
		return r.row
	}
	at := bytes.Index(r.text, append(append([]byte(`"`), id...), '"'))
	if at < 0 {
		r.left -= len(r.text)
		return r.row
	}
	start := max(bytes.LastIndexByte(r.text[:at], '{'), 0)
	behind := at + len(id) + 2
	row := r.row + int64(bytes.Count(r.text[:start], []byte("\n")))
	r.row = row + int64(bytes.Count(r.text[start:behind], []byte("\n")))
	r.text = r.text[behind:]
	return row
}
