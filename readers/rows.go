package readers

import "bytes"

// Rows finds the lines on which the records of a document begin.
type Rows struct {
	text []byte // from the last record on
	row  int64  // line on which text begins
	left int    // bytes that are looked at yet
}

// searches are how often a text is gone over, at most, for ids that it doesn't
// hold as they are.
const searches = 16

// RowsOf begins at the start of a document's text.
func RowsOf(text []byte) Rows { return Rows{text, 1, searches * len(text)} }

// Of is the 1-based line on which the record with the id begins; where that
// isn't found, or too much was looked for in vain, of the one before. Records are asked for in the order in which
// they stand.
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
