package readers

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// Document reads a log that is one JSON value with a list of records: an object with
// the list under key, or the list itself if key is empty. Document calls head with the
// whole value and the text, then element for each record. If the document is damaged,
// head gets the text before the list, element gets the records before the damage, and
// the rest becomes one problem. A document with too many values to parse at once is
// also read piece by piece, and head gets the text around the list. Values are valid
// until the next call; the text stays valid. The error is from reading the log.
func Document(in *Input, key string, head func(*fastjson.Value, []byte), element func(*fastjson.Value)) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	if in.start != nil {
		in.start.Drop() // an agent writes a document anew, so its beginning changes
	}
	d := &document{key: key, emit: in.Emit, head: head, element: element}
	if err := d.read(f, in.size); err != nil || d.data == nil {
		return err
	}
	in.recordSize(len(d.data))
	d.decoder = decoders.Get().(*Decoder)
	defer decoders.Put(d.decoder)
	defer d.decoder.drop(len(d.data))
	if values, _ := (valueLimit{most: manyValues}).tooMany(d.data); values > manyValues {
		d.readLarge()
		return nil
	}
	if v, err := d.decoder.parser.ParseInPlace(d.data); err == nil && d.isDocument(v) {
		head(v, d.data)
		for _, e := range d.list(v).GetArray() {
			element(e)
		}
		return nil
	}
	d.readRecords(d.listStart())
	return nil
}

// WholeDocument reads a log that is one JSON value without a list of records, as
// [Document] does.
func WholeDocument(in *Input, visit func(*fastjson.Value)) error {
	const noList = "(no list)" // a key that no file has
	return Document(in, noList, func(v *fastjson.Value, _ []byte) { visit(v) }, func(*fastjson.Value) {})
}

type document struct {
	data    []byte
	skipped int // bytes before data
	key     string
	emit    func(tables.Event)
	head    func(*fastjson.Value, []byte)
	element func(*fastjson.Value)
	decoder *Decoder
	end     int // of the list, if the text around it is known to be whole; otherwise 0
}

// read reads the whole text, unless it is too large. NUL bytes at the start, which a
// crash can leave in a file, are not kept in memory.
func (d *document) read(r io.Reader, size int64) error {
	line, err := readWhole(r, lineLimit, size)
	if err != nil {
		return err
	}
	if line.Length > 0 {
		d.emit(newProblem(line, 0, line.Bytes, fmt.Sprintf("a document of more than %d bytes: it is not read", lineLimit)))
		return nil
	}
	if line.NULs > 0 {
		d.emit(newProblem(line, 0, zeros[:ExcerptBytes], "NUL bytes"))
		if len(bytes.Trim(line.Bytes, "\x00 \t\r\n")) == 0 {
			return nil
		}
	}
	d.data = bytes.TrimPrefix(line.Bytes, bom)
	d.skipped = int(line.NULs) + len(line.Bytes) - len(d.data)
	return nil
}

// list returns the value that should be the list of records, or nil if the key is
// absent.
func (d *document) list(v *fastjson.Value) *fastjson.Value {
	if d.key == "" {
		return v
	}
	return v.Get(d.key)
}

// isDocument reports whether a value has the form of a document: an object with the list of
// records, an object without it, or the list itself.
func (d *document) isDocument(v *fastjson.Value) bool {
	list := d.list(v)
	if list == nil {
		return v.Type() == fastjson.TypeObject
	}
	return list.Type() == fastjson.TypeArray
}

// readRecords reads one record after the other from position at, up to the first
// damage. The damage and the rest of the text become one problem. If at is 0, the text
// has no list, and all of it is damage.
func (d *document) readRecords(at int) {
	for at > 0 {
		next := len(d.data) - len(bytes.TrimLeft(d.data[at:], ", \t\r\n"))
		n := d.decoder.objectEnd(d.data[next:])
		at = next
		if n < 0 || !d.readRecord(next, n) {
			break
		}
		at = next + n
	}
	if at == 0 || at != d.end {
		d.emitDamage(at)
	}
}

// readRecord reads the record at a position. It returns false if the record is damaged.
func (d *document) readRecord(at, n int) bool {
	v, folded, err := d.decoder.parse(d.data[at : at+n])
	if folded != "" {
		d.emitProblem(at, n, folded)
	}
	if err == nil {
		d.element(v)
	}
	return err == nil || errors.Is(err, errTooMany)
}

// listStart returns the position of the list's first record, or 0 if the text has no
// list. It also passes the text before the list to head.
func (d *document) listStart() int {
	from := 0
	if d.key != "" {
		if from = bytes.Index(d.data, []byte(`"`+d.key+`"`)); from < 0 {
			return 0
		}
		d.callHeadBefore(from)
	}
	bracket := bytes.IndexByte(d.data[from:], '[')
	return from + bracket + 1
}

// callHeadBefore passes the text before a position to head.
func (d *document) callHeadBefore(at int) {
	d.callHead(append(bytes.TrimRight(bytes.Clone(d.data[:at]), ", \t\r\n"), '}'))
}

// callHead parses text and passes it to head. It returns false if text isn't an object.
func (d *document) callHead(text []byte) bool {
	v, folded, err := d.decoder.parse(text)
	if folded != "" {
		d.emitProblem(0, len(d.data), folded)
	}
	if err != nil || v.Type() != fastjson.TypeObject {
		return errors.Is(err, errTooMany) // parse's words about errTooMany were emitted above
	}
	d.head(v, d.data)
	return true
}

// readLarge reads a document that has too many values to parse at once. head gets the
// document with an empty list; element gets the records one by one.
func (d *document) readLarge() {
	start, end := len(d.data)-len(bytes.TrimLeft(d.data, " \t\r\n")), -1
	if d.key != "" {
		start = valueOf(d.data, d.key)
	}
	if start >= 0 {
		end = containerEnd(d.data[start:])
	}
	switch {
	case start < 0: // the document has no list
		if !d.callHead(d.data) {
			d.emitDamage(0)
		}
	case d.data[start] != '[':
		d.readRecords(d.listStart())
	case end < 0:
		if d.key != "" {
			d.callHeadBefore(bytes.LastIndex(d.data[:start], []byte(`"`+d.key+`"`)))
		}
		d.readRecords(start + 1)
	case d.key == "":
		if len(bytes.TrimSpace(d.data[start+end:])) == 0 {
			d.end = start + end - 1
		}
		d.readRecords(start + 1)
	default:
		around := append(append(bytes.Clone(d.data[:start]), "[]"...), d.data[start+end:]...)
		if d.callHead(around) {
			d.end = start + end - 1
		}
		d.readRecords(start + 1)
	}
}

// containerEnd returns the length of the list or object that b begins with, or -1 if it
// doesn't end, or b begins with neither.
func containerEnd(b []byte) int {
	for i, depth := 0, 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := stringEnd(b[i+1:])
			if n < 0 {
				return -1
			}
			i += n
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
		if depth == 0 {
			return -1
		}
	}
	return -1
}

// valueOf returns the position of the value under a key of the object b, or -1 if the
// object lacks the key.
func valueOf(b []byte, key string) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := stringEnd(b[i+1:])
			if n < 0 {
				return -1
			}
			name := b[i+1 : i+n]
			i += n
			rest := bytes.TrimLeft(b[i+1:], " \t\r\n")
			if depth != 1 || string(name) != key || len(rest) == 0 || rest[0] != ':' {
				continue
			}
			if value := bytes.TrimLeft(rest[1:], " \t\r\n"); len(value) > 0 {
				return len(b) - len(value)
			}
			return -1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
	return -1
}

func (d *document) emitDamage(at int) {
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
	d.emitProblem(at, len(d.data)-at, what)
}

// emitProblem emits a problem about the n bytes from position at, and quotes their
// first line.
func (d *document) emitProblem(at, n int, what string) {
	line := Line{Number: int64(bytes.Count(d.data[:at], []byte("\n"))) + 1, Offset: int64(d.skipped)}
	quoted, _, _ := bytes.Cut(d.data[at:at+min(n, ExcerptBytes+1)], []byte("\n"))
	d.emit(newProblem(line, at, bytes.TrimRight(quoted, "\r"), what))
}

// RecordLines finds the lines on which the records of a document begin, by the records'
// ids.
type RecordLines struct {
	text []byte // text after the last found id
	row  int64  // line on which text begins, 1-based
	left int    // bytes that may still be searched without success
}

// searches limits the time lost on ids that the text doesn't hold literally. All
// searches without success together read at most this many times the text.
const searches = 16

// NewRecordLines returns the RecordLines of a document's text.
func NewRecordLines(text []byte) RecordLines { return RecordLines{text, 1, searches * len(text)} }

// Find returns the 1-based line on which the record with the id begins. If the id isn't
// found, or the search limit is used up, it returns the line of the last found id. The
// caller must ask for records in document order.
func (r *RecordLines) Find(id []byte) int64 {
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
