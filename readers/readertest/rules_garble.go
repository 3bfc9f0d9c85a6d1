package readertest

import (
	"bytes"
	"fmt"
	"slices"

	"hindsql/tables"
)

func garbleRules() []rule {
	return []rule{
		{name: "garbled line between", shapes: lineByLine, check: garbledBetween,
			why: "a garbled line is one problem, and every other row stays as it was, but for line numbers"},
		{name: "NULs between", shapes: lineByLine, check: func(l *log) error { return l.insertBetween(spread(l.countGaps(), 20), bytes.Repeat([]byte{0}, 512)) },
			why: "a run of NUL bytes, which a crash leaves, is one problem, and every other row stays as it was"},
		{name: "garbled line instead", shapes: []Shape{Lines}, check: garbledInstead,
			why: "a line that can't be read costs what stood on it and nothing else: the messages and calls of all other lines are there"},
		{name: "very long lines", shapes: lineByLine, slow: true, check: veryLongLines,
			why: "a line of 100 MB is a record or a problem, and its neighbours stay as they were"},
	}
}

// garbledLine returns unreadable lines: text, the beginning of an object, or half a line of
// the log itself.
func (l *log) garbledLine(i int) []byte {
	switch lines := physicalLines(l.data); i % 3 {
	case 0:
		return []byte(`} not, JSON "at all`)
	case 1:
		return []byte(`{"type":"user","message":{"role":"user","content":"cut he`)
	default:
		line := bytes.TrimRight(lines[i%len(lines)], "\r\n")
		half := len(line) / 2
		for half < len(line)-1 && (half == 0 || line[half-1] == '}') {
			half++
		}
		return append([]byte("{"), line[:half]...)
	}
}

// countGaps returns the number of places where a line can be inserted. No line can follow a
// last line without newline.
func (l *log) countGaps() int {
	lines := physicalLines(l.data)
	if n := len(lines); n > 0 && !bytes.HasSuffix(lines[n-1], []byte("\n")) {
		return n
	}
	return len(lines) + 1
}

func garbledBetween(l *log) error {
	for _, at := range spread(l.countGaps(), 200) {
		if err := l.insertBetween([]int{at}, l.garbledLine(at)); err != nil {
			return err
		}
	}
	for i := range 3 {
		if err := l.insertBetween(spread(l.countGaps(), 5), l.garbledLine(i)); err != nil {
			return err
		}
	}
	return nil
}

// insertBetween inserts a bad line at each of the gaps, one at a time. The reader must
// report one problem on that line, and otherwise give the same rows.
func (l *log) insertBetween(gaps []int, bad []byte) error {
	want := l.load(l.data)
	for _, at := range gaps {
		if at == 0 && bytes.HasPrefix(l.data, []byte("\xEF\xBB\xBF")) {
			continue
		}
		lines := slices.Insert(physicalLines(l.data), at, append(slices.Clip(bad), '\n'))
		got := l.load(bytes.Join(lines, nil))
		if err := panicOf(got.events); err != nil {
			return err
		}
		here := func(p tables.Row) bool { return p["line"] == int64(at+1) }
		if n := len(got.rows["problems"]) - len(want.rows["problems"]); n != 1 || !slices.ContainsFunc(got.rows["problems"], here) {
			return fmt.Errorf("bad line %d, %.60q: %d problems more, want 1, which names the line", at+1, bad, n)
		}
		got.rows["problems"] = slices.DeleteFunc(got.rows["problems"], here)
		if err := compareRows(want.rows, got.rows, "line", "byte_offset"); err != nil {
			return fmt.Errorf("bad line %d, %.60q: %w", at+1, bad, err)
		}
	}
	return nil
}

func garbledInstead(l *log) error {
	original, _ := l.readEvents(bytes.NewReader(l.data))
	for _, at := range spread(len(physicalLines(l.data)), 200) {
		lines := physicalLines(l.data)
		lines[at] = append(l.garbledLine(at), '\n')
		events, _ := l.readEvents(bytes.NewReader(bytes.Join(lines, nil)))
		if err := panicOf(events); err != nil {
			return err
		}
		have := map[fact]int{}
		for _, f := range factsOf(events) {
			have[f]++
		}
		for _, f := range factsOf(original) {
			if have[f]--; f.line != 0 && f.line != int64(at+1) && have[f] < 0 {
				return fmt.Errorf("with line %d garbled, line %d lost or changed: %.300q", at+1, f.line, fmt.Sprint(f))
			}
		}
	}
	return nil
}

// veryLongLines inserts 100 MB between the lines of the log, as a record of an unknown
// kind and as garbage.
func veryLongLines(l *log) error {
	middle := l.countGaps() / 2
	long := bytes.Repeat([]byte("x"), 100<<20)
	if err := l.insertBetween([]int{middle}, long); err != nil {
		return err
	}
	object := slices.Concat([]byte(`{"type":"long","text":"`), long, []byte("\"}\n"))
	lines := slices.Insert(physicalLines(l.data), middle, object)
	got, _ := l.readEvents(bytes.NewReader(bytes.Join(lines, nil)))
	if err := panicOf(got); err != nil {
		return err
	}
	want, _ := l.readEvents(bytes.NewReader(l.data))
	if n := recordsIn(got) - recordsIn(want); n != 1 {
		return fmt.Errorf("a record of 100 MB: %d records and problems more, want 1", n)
	}
	lost := firstLost(withoutLines(factsOf(want)), withoutLines(factsOf(got)))
	if l.shape == Lines && lost != nil {
		return fmt.Errorf("a record of 100 MB costs its neighbour: %.300q", fmt.Sprint(*lost))
	}
	return nil
}

func recordsIn(events []tables.Event) int {
	n := problemsIn(events)
	for _, e := range events {
		if k, ok := e.(*tables.RecordKind); ok {
			n += int(k.Lines)
		}
	}
	return n
}

func withoutLines(facts []fact) []fact {
	for i := range facts {
		facts[i].line = 0
	}
	return facts
}

func bytesRules() []rule {
	return []rule{
		{name: "carriage returns", shapes: files, why: "lines may end as Windows has them: the rows are the same",
			check: func(l *log) error {
				crlf := bytes.ReplaceAll(bytes.ReplaceAll(l.data, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
				return l.checkSameRows(l.load(crlf), "byte_offset")
			}},
		{name: "byte order mark", shapes: files, why: "a byte order mark is no part of the first line: the rows are the same",
			check: func(l *log) error {
				plain := bytes.TrimPrefix(l.data, []byte("\xEF\xBB\xBF"))
				return l.checkSameRows(l.load(append([]byte("\xEF\xBB\xBF"), plain...)), "byte_offset")
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
		for _, at := range spread(len(l.data), 50) {
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
