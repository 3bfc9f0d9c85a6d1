package readertest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"testing/iotest"

	"hindsql/readers"
	"hindsql/tables"
)

func ioRules() []rule {
	return []rule{
		{name: "one byte at a time", why: "how the bytes arrive makes no difference",
			check: func(l *log) error { return l.checkSameRows(l.loadFrom(iotest.OneByteReader(bytes.NewReader(l.data)))) }},
		{name: "failing disk", why: "when reading fails in the middle, the rows of the lines before stay, and the file has one problem more",
			check: failingDisk},
		{name: "failing open", why: "a log that can't be opened is one problem and no other row",
			check: failingOpen},
		{name: "unread", shapes: files, why: "a log that the disk gives up on is Unread, whatever the reader makes of it, and no row tells of that: " +
			"the store keeps the rows that it has, and notes the problem itself",
			check: checkUnread},
		{name: "neighbours", why: "whatever is asked for beside a log is noted with it, there or not, as it was before it was read: " +
			"a store knows by that when the log is to be read again",
			check: checkNeighbours},
	}
}

var errDisk = errors.New("the disk is gone")

func failingDisk(l *log) error {
	for _, n := range spread(len(l.data), 100) {
		events, _ := l.readEvents(io.MultiReader(bytes.NewReader(l.data[:n]), iotest.ErrReader(errDisk)))
		if err := panicOf(events); err != nil {
			return err
		}
		whole := bytes.LastIndexByte(l.data[:n], '\n') + 1
		before, err := l.stateOf(l.data[:whole])
		if err != nil {
			return err
		}
		if l.shape == Document || l.shape == Rows {
			before = state{}
		}
		if more := problemsIn(events) - before.problems; more != 1 {
			return fmt.Errorf("reading fails at byte %d: %d problems more, want 1", n, more)
		}
		if lost := firstLost(before.facts, factsOf(events)); lost != nil && l.shape == Lines {
			return fmt.Errorf("reading fails at byte %d: a line before it is lost: %.300q", n, fmt.Sprint(*lost))
		}
	}
	return nil
}

func failingOpen(l *log) error {
	var events []tables.Event
	open := func() (io.ReadCloser, error) { return nil, errDisk }
	emit := func(e tables.Event) { events = append(events, e) }
	if l.reader.Parts == nil {
		l.reader.LoadFrom(l.input(open, emit), l.source())
	} else {
		l.loadParts(open, emit)
	}
	if err := panicOf(events); err != nil {
		return err
	}
	if n, facts := problemsIn(events), factsOf(events); n != 1 || len(facts) > 0 {
		return fmt.Errorf("%d problems and %d other events, want 1 and none", n, len(facts))
	}
	return nil
}

// checkUnread lets the disk fail while the log is opened, and after some of its bytes. The
// reader must return an Unread error.
func checkUnread(l *log) error {
	failing := *l.reader
	for _, n := range append(spread(len(l.data), 10), -1) {
		failing.Open = func(path string) (io.ReadCloser, error) {
			switch {
			case path != l.found.Path:
				return readers.OpenFile(path)
			case n < 0:
				return nil, errDisk
			}
			return io.NopCloser(io.MultiReader(bytes.NewReader(l.data[:n]), iotest.ErrReader(errDisk))), nil
		}
		_, err := failing.TryLoad(l.found, l.source())
		if !errors.As(err, new(*readers.Unread)) || !errors.Is(err, errDisk) {
			return fmt.Errorf("the disk fails at byte %d: error %s", n, fmt.Sprint(err))
		}
		rows := failing.Load(l.found, l.source())
		said := 0
		for _, p := range readRows(rows)["problems"] {
			if p["what"] == errDisk.Error() {
				said++
			}
		}
		if said != 1 {
			return fmt.Errorf("the disk fails at byte %d: %d problems say so, want the one of Load", n, said)
		}
	}
	return nil
}

// checkNeighbours compares two lists: the files that the reader asks for, and the
// neighbours recorded when the same log is loaded from the disk.
func checkNeighbours(l *log) error {
	asked := map[string]bool{}
	in := l.input(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(l.data)), nil }, nil)
	beside, exists, with, names := in.ReadFile, in.Exists, in.OpenCompanion, in.Names
	in.ReadFile = func(rel string) ([]byte, error) { asked[rel] = true; return beside(rel) }
	in.Exists = func(rel string) bool { asked[rel] = true; return exists(rel) }
	in.Watch = func(rel string) { asked[rel] = true }
	in.OpenCompanion = func(suffix string) (io.ReadCloser, error) { asked[l.rel+suffix] = true; return with(suffix) }
	in.Names = func(rel string) ([]string, error) { asked[rel] = true; return names(rel) }
	l.reader.LoadFrom(in, l.source())
	var want, got []string
	for rel := range asked {
		if path, ok := l.pathOf(rel); ok {
			_, err := os.Stat(path)
			want = append(want, fmt.Sprint(path, " ", err == nil))
		}
	}
	for _, row := range readRows(l.reader.Load(l.found, l.source()))["neighbours"] {
		got = append(got, fmt.Sprint(row["path"], " ", row["existed"]))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		return fmt.Errorf("asked for %q, noted %q", want, got)
	}
	return nil
}
