package cline

import (
	"bytes"
	"errors"
	"path"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Words of [readers.Document] about a damaged text.
const (
	unfinished = "unfinished document"
	emptyFile  = "empty file"
	badJSON    = "bad JSON"
)

// readWhole is [readers.Document] for a file that Cline writes anew at each step, from
// its first byte (FORMAT.md §1.1). A read in the middle of that finds the beginning of
// the file, or nothing. The result is then a [*readers.Unread]: a store keeps the rows
// that it has, and the next sync reads the file again.
func readWhole(in *readers.Input, key string, head func(*fastjson.Value, []byte), element func(*fastjson.Value)) error {
	var text []byte
	var cut error
	one := *in
	one.Emit = func(e tables.Event) {
		p, ok := e.(*tables.Problem)
		if ok && (p.What == unfinished || p.What == emptyFile || p.What == badJSON && endsEarly(text)) {
			cut = &readers.Unread{Err: errors.New(path.Base(in.Rel) + ": " + p.What + ", as in the middle of a write")}
			return
		}
		in.Emit(e)
	}
	err := readers.Document(&one, key, func(v *fastjson.Value, all []byte) {
		text = all
		head(v, all)
	}, element)
	if err != nil {
		return err
	}
	return cut
}

// endsEarly reports whether an object's text lacks its last brace.
func endsEarly(text []byte) bool {
	text = bytes.TrimRight(text, " \t\r\n")
	return len(text) > 0 && text[len(text)-1] != '}'
}
