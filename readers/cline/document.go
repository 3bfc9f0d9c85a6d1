package cline

import (
	"errors"
	"path"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Words of [readers.Document] about a text that ends too early.
const (
	unfinished = "unfinished document"
	emptyFile  = "empty file"
)

// readWhole is [readers.Document] for a file that Cline writes anew at each step, from
// its first byte (FORMAT.md §1.1). A read in the middle of that finds the beginning of
// the file, or nothing. The result is then a [*readers.Unread]: a store keeps the rows
// that it has, and the next sync reads the file again.
func readWhole(in *readers.Input, key string, head func(*fastjson.Value, []byte), element func(*fastjson.Value)) error {
	var cut error
	one := *in
	one.Emit = func(e tables.Event) {
		if p, ok := e.(*tables.Problem); ok && (p.What == unfinished || p.What == emptyFile) {
			cut = &readers.Unread{Err: errors.New(path.Base(in.Rel) + ": " + p.What + ", as in the middle of a write")}
			return
		}
		in.Emit(e)
	}
	if err := readers.Document(&one, key, head, element); err != nil {
		return err
	}
	return cut
}
