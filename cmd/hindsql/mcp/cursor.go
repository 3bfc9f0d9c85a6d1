package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// cursor says where the next page of a result begins: after how many rows, of which
// statement, and which logs were loaded.
type cursor struct {
	offset    int64
	statement string // a hash
	logs      string // a hash; empty if unknown
}

func (c cursor) text() string {
	return strings.Join([]string{strconv.FormatInt(c.offset, 10), c.statement, c.logs}, "-")
}

// readCursor parses the text of a cursor; empty means the beginning of the result.
// statement is the hash of the call's statement. A cursor of another statement is an
// error.
func readCursor(text, statement string) (cursor, error) {
	if text == "" {
		return cursor{statement: statement}, nil
	}
	parts := strings.Split(text, "-")
	if len(parts) != 3 {
		return cursor{}, fmt.Errorf("cursor %s: is none; it is what next was in the answer before", oneLine(text))
	}
	offset, err := strconv.ParseInt(parts[0], 10, 64)
	switch {
	case err != nil || offset < 0:
		return cursor{}, fmt.Errorf("cursor %s: is none; it is what next was in the answer before", oneLine(text))
	case parts[1] != statement:
		return cursor{}, errors.New("cursor: belongs to another call; leave it out to begin anew, or repeat that call's other arguments as they were")
	}
	return cursor{offset, statement, parts[2]}, nil
}

// mark returns a short hash of texts.
func mark(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:4])
}
