package readers

import (
	"bytes"
	"strings"

	"hindsql/tables"
)

func whatIsWrong(line Line, damage []byte, toTheEnd bool) string {
	switch {
	case len(bytes.Trim(damage, "\x00 \t\r")) == 0:
		return "NUL bytes"
	case toTheEnd && !line.Whole:
		return "unfinished last line"
	case bytes.IndexByte(damage, 0) >= 0:
		return "bad JSON, with NUL bytes"
	}
	return "bad JSON"
}

// ExcerptBytes is the longest excerpt in bytes that a Problem quotes.
const ExcerptBytes = 200

func problem(line Line, at int, damage []byte, what string) *tables.Problem {
	return &tables.Problem{
		Line:       line.Number,
		ByteOffset: line.Offset + int64(at),
		What:       what,
		Excerpt:    Excerpt(damage),
	}
}

// Excerpt returns the beginning of b as a [tables.Problem] quotes it.
func Excerpt(b []byte) string {
	s := strings.ReplaceAll(string(b[:min(len(b), ExcerptBytes)]), "\x00", `\0`)
	return strings.ToValidUTF8(s[:min(len(s), ExcerptBytes)], "")
}
