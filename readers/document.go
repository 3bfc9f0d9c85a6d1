package readers

import (
	"bytes"
	"io"

	"github.com/valyala/fastjson"

	"hindsql/tables"
)

// Document reads a log that is one JSON value holding a list of records: an
// object with the list under key, or the list itself when key is empty. It
// calls head with the whole value and its text, then element for each record.
// Of a damaged document head gets what stands before the list, element the
// records before the damage, and the rest is one problem. Values are valid
// until the next call; the text stays. The error is one of reading the log.
func Document(in *Input, key string, head func(*fastjson.Value, []byte), element func(*fastjson.Value)) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	d := &document{data: bytes.TrimPrefix(data, bom), key: key, emit: in.Emit}
	d.skipped = len(data) - len(d.data)
	decoder := decoders.Get().(*Decoder)
	defer decoders.Put(decoder)
	if v, err := decoder.parser.ParseBytes(d.data); err == nil && d.whole(v) {
		head(v, d.data)
		for _, e := range d.list(v).GetArray() {
			element(e)
		}
		return nil
	}
	d.salvage(&decoder.parser, head, element)
	return nil
}

type document struct {
	data    []byte
	skipped int // bytes before data
	key     string
	emit    func(tables.Event)
}

// list is what should be the list of records, nil where there is none.
func (d *document) list(v *fastjson.Value) *fastjson.Value {
	if d.key == "" {
		return v
	}
	return v.Get(d.key)
}

// whole says whether a value is a document: an object may lack the list.
func (d *document) whole(v *fastjson.Value) bool {
	list := d.list(v)
	if list == nil {
		return v.Type() == fastjson.TypeObject
	}
	return list.Type() == fastjson.TypeArray
}

func (d *document) salvage(parser *fastjson.Parser, head func(*fastjson.Value, []byte), element func(*fastjson.Value)) {
	at := d.listStart(parser, head)
	for at > 0 {
		next := at + len(d.data[at:]) - len(bytes.TrimLeft(d.data[at:], ", \t\r\n"))
		n := objectEnd(d.data[next:])
		if n < 0 {
			at = next
			break
		}
		v, err := parser.ParseBytes(d.data[next : next+n])
		if err != nil {
			at = next
			break
		}
		element(v)
		at = next + n
	}
	d.problem(max(at, 0))
}

// listStart is where the list's first record stands, 0 where no list begins.
// What comes before it goes to head.
func (d *document) listStart(parser *fastjson.Parser, head func(*fastjson.Value, []byte)) int {
	from := 0
	if d.key != "" {
		if from = bytes.Index(d.data, []byte(`"`+d.key+`"`)); from < 0 {
			return 0
		}
		before := append(bytes.TrimRight(bytes.Clone(d.data[:from]), ", \t\r\n"), '}')
		if v, err := parser.ParseBytes(before); err == nil && v.Type() == fastjson.TypeObject {
			head(v, d.data)
		}
	}
	bracket := bytes.IndexByte(d.data[from:], '[')
	return from + bracket + 1
}

func (d *document) problem(at int) {
	what := "bad JSON"
	switch rest := bytes.Trim(d.data[at:], " \t\r\n"); {
	case len(bytes.TrimSpace(d.data)) == 0:
		what = "empty file"
	case len(bytes.Trim(d.data, "\x00 \t\r\n")) == 0:
		what = "NUL bytes"
	case bytes.HasPrefix(d.data, []byte("version https://git-lfs")):
		what = "a pointer of Git LFS, not the log itself"
	case len(rest) == 0, objectEnd(rest) < 0 && rest[0] == '{':
		what = "unfinished document"
	}
	line := Line{Number: int64(bytes.Count(d.data[:at], []byte("\n"))) + 1, Offset: int64(d.skipped)}
	damage, _, _ := bytes.Cut(d.data[at:], []byte("\n"))
	d.emit(problem(line, at, bytes.TrimRight(damage, "\r"), what))
}

// Rows finds the lines on which the records of a document begin.
type Rows struct {
	text []byte // from the last record on
	row  int64  // line on which text begins
}

// RowsOf begins at the start of a document's text.
func RowsOf(text []byte) Rows { return Rows{text, 1} }

// Of is the 1-based line on which the record with the id begins; where that
// isn't found, of the one before. Records are asked for in the order in which
// they stand.
func (r *Rows) Of(id []byte) int64 {
	at := bytes.Index(r.text, append(append([]byte(`"`), id...), '"'))
	if len(id) == 0 || at < 0 {
		return r.row
	}
	start := max(bytes.LastIndexByte(r.text[:at], '{'), 0)
	behind := at + len(id) + 2
	row := r.row + int64(bytes.Count(r.text[:start], []byte("\n")))
	r.row = row + int64(bytes.Count(r.text[start:behind], []byte("\n")))
	r.text = r.text[behind:]
	return row
}
