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
		{name: "NULs between", shapes: lineByLine, check: func(l *log) error { return l.between(some(l.gaps(), 20), bytes.Repeat([]byte{0}, 512)) },
			why: "a run of NUL bytes, which a crash leaves, is one problem, and every other row stays as it was"},
		{name: "garbled line instead", shapes: []Shape{Lines}, check: garbledInstead,
			why: "a line that can't be read costs what stood on it and nothing else: the messages and calls of all other lines are there"},
		{name: "very long lines", shapes: lineByLine, slow: true, check: veryLongLines,
			why: "a line of 100 MB is a record or a problem, and its neighbours stay as they were"},
	}
}

// garbage returns unreadable lines: text, the beginning of an object, or half a line of
// the log itself.
func (l *log) garbage(i int) []byte {
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

// gaps returns the number of places where a line can be inserted. No line can follow a
// last line without newline.
func (l *log) gaps() int {
	lines := physicalLines(l.data)
	if n := len(lines); n > 0 && !bytes.HasSuffix(lines[n-1], []byte("\n")) {
		return n
	}
	return len(lines) + 1
}

func garbledBetween(l *log) error {
	for _, at := range some(l.gaps(), 200) {
		if err := l.between([]int{at}, l.garbage(at)); err != nil {
			return err
		}
	}
	for i := range 3 {
		if err := l.between(some(l.gaps(), 5), l.garbage(i)); err != nil {
			return err
		}
	}
	return nil
}

// between inserts a bad line at each of the gaps, one at a time. The reader must report
// one problem on that line, and otherwise give the same rows.
func (l *log) between(gaps []int, bad []byte) error {
	want := l.load(l.data)
	for _, at := range gaps {
		if at == 0 && bytes.HasPrefix(l.data, []byte("\xEF\xBB\xBF")) {
			continue
		}
		lines := slices.Insert(physicalLines(l.data), at, append(slices.Clip(bad), '\n'))
		got := l.load(bytes.Join(lines, nil))
		if err := panicked(got.events); err != nil {
			return err
		}
		here := func(p tables.Row) bool { return p["line"] == int64(at+1) }
		if n := len(got.rows["problems"]) - len(want.rows["problems"]); n != 1 || !slices.ContainsFunc(got.rows["problems"], here) {
			return fmt.Errorf("bad line %d, %.60q: %d problems more, want 1, which names the line", at+1, bad, n)
		}
		got.rows["problems"] = slices.DeleteFunc(got.rows["problems"], here)
		if err := sameRows(want.rows, got.rows, "line", "byte_offset"); err != nil {
			return fmt.Errorf("bad line %d, %.60q: %w", at+1, bad, err)
		}
	}
	return nil
}

func garbledInstead(l *log) error {
	original, _ := l.emitted(bytes.NewReader(l.data))
	for _, at := range some(len(physicalLines(l.data)), 200) {
		lines := physicalLines(l.data)
		lines[at] = append(l.garbage(at), '\n')
		events, _ := l.emitted(bytes.NewReader(bytes.Join(lines, nil)))
		if err := panicked(events); err != nil {
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
	middle := l.gaps() / 2
	long := bytes.Repeat([]byte("x"), 100<<20)
	if err := l.between([]int{middle}, long); err != nil {
		return err
	}
	object := slices.Concat([]byte(`{"type":"long","text":"`), long, []byte("\"}\n"))
	lines := slices.Insert(physicalLines(l.data), middle, object)
	got, _ := l.emitted(bytes.NewReader(bytes.Join(lines, nil)))
	if err := panicked(got); err != nil {
		return err
	}
	want, _ := l.emitted(bytes.NewReader(l.data))
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
