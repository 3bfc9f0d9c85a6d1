package readertest

import (
	"bytes"
	"fmt"
	"io"
	"reflect"

	"hindsql/readers"
	"hindsql/tables"
)

func partRules() []rule {
	rows := []Shape{Rows}
	return []rule{
		{name: "cut after any row", shapes: rows, check: cutRows,
			why: "a database holds any number of its rows: with each, the messages, calls, results and prompts of the rows before stay, but for those of the last message of a part"},
		{name: "stamps", shapes: rows, check: checkStamps,
			why: "a part whose rows are others has another stamp, and the same name: a store reads it again by that, and by nothing else"},
		{name: "damaged anywhere", shapes: rows, check: damagedAnywhere,
			why: "a file that is cut or garbled at any byte gives no panic, and well formed rows"},
	}
}

// buildRows builds the log from the first n rows of its sample.
func (l *log) buildRows(n int) ([]byte, error) {
	text := bytes.Join(physicalLines(l.text)[:n], nil)
	if l.opts.Make == nil {
		return text, nil
	}
	return l.opts.Make(text)
}

// partsOf returns the parts in some bytes, and the events and rows of each part.
func (l *log) partsOf(data []byte) (map[string]readers.Part, map[string]read, error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	parts, err := l.reader.ListFrom(l.input(open, nil))
	if err != nil {
		return nil, nil, err
	}
	byName, reads := map[string]readers.Part{}, map[string]read{}
	for _, p := range parts {
		var one read
		src := l.partSource(p)
		src.Stamp, src.Size = "", 0
		file := l.reader.LoadFrom(l.input(open, func(e tables.Event) { one.events = append(one.events, e) }), src)
		one.rows = readRows(file)
		byName[p.Name], reads[p.Name] = p, one
	}
	return byName, reads, nil
}

func cutRows(l *log) error {
	var before map[string]read
	for n := range len(physicalLines(l.text)) + 1 {
		data, err := l.buildRows(n)
		if err != nil {
			return err
		}
		_, now, err := l.partsOf(data)
		if err != nil {
			return fmt.Errorf("with %d rows: %w", n, err)
		}
		for name, was := range before {
			got, ok := now[name]
			if !ok {
				return fmt.Errorf("with %d rows: the part %q of fewer rows is gone", n, name)
			}
			if err := panicOf(got.events); err != nil {
				return fmt.Errorf("with %d rows: %w", n, err)
			}
			if lost := firstLost(state{facts: factsOf(was.events)}.finalFacts(), factsOf(got.events)); lost != nil {
				return fmt.Errorf("with %d rows: an earlier row's event is gone or changed: %.300q", n, fmt.Sprint(*lost))
			}
		}
		before = now
	}
	return nil
}

func checkStamps(l *log) error {
	var parts map[string]readers.Part
	var before map[string]read
	for n := range len(physicalLines(l.text)) + 1 {
		data, err := l.buildRows(n)
		if err != nil {
			return err
		}
		list, now, err := l.partsOf(data)
		if err != nil {
			return err
		}
		for name, got := range now {
			was, known := before[name]
			if known && parts[name] == list[name] && !reflect.DeepEqual(was.rows, got.rows) {
				return fmt.Errorf("with %d rows the part %q has other rows and the same stamp: %+v", n, name, list[name])
			}
		}
		parts, before = list, now
	}
	return nil
}

func damagedAnywhere(l *log) error {
	for _, at := range spread(len(l.data), 200) {
		garbled := bytes.Clone(l.data)
		garbled[at] ^= 0x55
		for _, data := range [][]byte{l.data[:at], garbled} {
			if err := wellFormed(l.load(data)); err != nil {
				return fmt.Errorf("damaged at byte %d: %w", at, err)
			}
		}
	}
	return nil
}
