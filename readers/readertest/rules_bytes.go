package readertest

import (
	"bytes"
	"fmt"
	"slices"
)

func bytesRules() []rule {
	return []rule{
		{name: "carriage returns", shapes: files, why: "lines may end as Windows has them: the rows are the same",
			check: func(l *log) error {
				crlf := bytes.ReplaceAll(bytes.ReplaceAll(l.data, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
				return l.asRead(l.load(crlf), "byte_offset")
			}},
		{name: "byte order mark", shapes: files, why: "a byte order mark is no part of the first line: the rows are the same",
			check: func(l *log) error {
				plain := bytes.TrimPrefix(l.data, []byte("\xEF\xBB\xBF"))
				return l.asRead(l.load(append([]byte("\xEF\xBB\xBF"), plain...)), "byte_offset")
			}},
		{name: "not UTF-8", shapes: files, why: "a byte that is no UTF-8 may stand anywhere: rows hold valid text and JSON all the same",
			check: notUTF8},
		{name: "doubled", shapes: files, why: "a log that holds everything twice gives no panic, and its keys stay unique",
			check: func(l *log) error {
				data := slices.Clone(l.data)
				if !bytes.HasSuffix(data, []byte("\n")) {
					data = append(data, '\n')
				}
				return wellFormed(l.load(append(data, l.data...)))
			}},
	}
}

func notUTF8(l *log) error {
	for _, bad := range []string{"\xff", "\xc3", "\xed\xa0\x80"} {
		for _, at := range some(len(l.data), 50) {
			data := slices.Concat(l.data[:at], []byte(bad), l.data[at+1:])
			if err := wellFormed(l.load(data)); err != nil {
				return fmt.Errorf("byte %d replaced by %q: %w", at, bad, err)
			}
		}
		for _, quote := range []string{`",`, `"}`} { // before the end of every string
			data := bytes.ReplaceAll(l.data, []byte(quote), []byte(bad+quote))
			if err := wellFormed(l.load(data)); err != nil {
				return fmt.Errorf("%q at the end of strings: %w", bad, err)
			}
		}
	}
	return nil
}
