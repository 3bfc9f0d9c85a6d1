package readertest

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/tables"
)

func TestToy(t *testing.T) { Run(t, toy(), "testdata", Options{}) }

func TestToyRows(t *testing.T) { Run(t, toyRows(), "testdata/rows", rowOptions()) }

func rowOptions() Options {
	return Options{Shape: func(string) Shape { return Rows }, Make: makeToyRows}
}

func TestBrokenDatabasesAreCaught(t *testing.T) {
	for rule, spoil := range map[string]func(*readers.Reader){
		"stamps": func(r *readers.Reader) {
			list := r.Parts
			r.Parts = func(in *readers.Input) ([]readers.Part, error) {
				parts, err := list(in)
				for i := range parts {
					parts[i].Stamp, parts[i].Size = "same", 0
				}
				return parts, err
			}
		},
		"cut after any row": func(r *readers.Reader) {
			list := r.Parts
			r.Parts = func(in *readers.Input) ([]readers.Part, error) {
				parts, err := list(in)
				return parts[max(0, len(parts)-1):], err
			}
		},
		"damaged anywhere": func(r *readers.Reader) {
			read := r.Read
			r.Read = func(in *readers.Input) error {
				if len(in.Part) > 0 && in.Part[0] != 's' {
					panic("a name that begins otherwise")
				}
				return read(in)
			}
		},
	} {
		s := readSamples(t, "testdata/rows", toyRows(), rowOptions())[0]
		s.reader = toyRows()
		spoil(s.reader)
		for _, one := range partRules() {
			if err := s.checkRule(one); one.name == rule && err == nil {
				t.Errorf("%s: a broken reader is not caught", rule)
			}
		}
	}
}

func FuzzToy(f *testing.F) { Fuzz(f, toy(), "testdata") }

func BenchmarkToy(b *testing.B) {
	s := readSamples(b, "testdata", toy(), Options{})[0]
	Bench(b, toy(), s.root)
}

// broken returns a toy reader with a fault: all its events go through change, which may
// change, drop or add events.
func broken(change func(e tables.Event, emit func(tables.Event))) *readers.Reader {
	r := toy()
	r.Read = func(in *readers.Input) error {
		emit, copied := in.Emit, *in
		copied.Emit = func(e tables.Event) { change(e, emit) }
		return readToy(&copied)
	}
	return r
}

// reading returns a toy that splits the bytes by the given function.
func reading(lines func(io.Reader, func([]byte)) error) *readers.Reader {
	r := toy()
	r.Read = func(in *readers.Input) error {
		in.Emit(&tables.Session{SessionID: in.Rel})
		f, err := in.Open()
		if err != nil {
			return err
		}
		var number int64
		return lines(f, func(line []byte) {
			number++
			v, err := fastjson.ParseBytes(line)
			if err != nil && len(line) > 0 {
				in.Emit(&tables.Problem{Line: number, What: "bad JSON"})
			} else if err == nil {
				emitToy(in.Emit, v, number, time.Time{})
			}
		})
	}
	return r
}

func TestBrokenToysAreCaught(t *testing.T) {
	afterProblem, calls := false, 0
	for _, test := range []struct {
		name   string
		reader *readers.Reader
		rule   string
	}{
		{"drops the line after a bad one", broken(func(e tables.Event, emit func(tables.Event)) {
			_, message := e.(*tables.Message)
			if !afterProblem || !message {
				emit(e)
			}
			_, afterProblem = e.(*tables.Problem)
		}), "garbled line between"},
		{"panics on a bad line", broken(func(e tables.Event, emit func(tables.Event)) {
			if p, ok := e.(*tables.Problem); ok {
				panic(p.What)
			}
			emit(e)
		}), "cut anywhere"},
		{"is silent about bad lines", broken(func(e tables.Event, emit func(tables.Event)) {
			if _, ok := e.(*tables.Problem); !ok {
				emit(e)
			}
		}), "NULs between"},
		{"local times", broken(func(e tables.Event, emit func(tables.Event)) {
			if m, ok := e.(*tables.Message); ok {
				m.Timestamp = m.Timestamp.In(time.FixedZone("", 3600))
			}
			emit(e)
		}), "times"},
		{"seconds taken for milliseconds", broken(func(e tables.Event, emit func(tables.Event)) {
			if m, ok := e.(*tables.Message); ok {
				m.Timestamp = time.UnixMilli(m.Timestamp.Unix()).UTC()
			}
			emit(e)
		}), "times"},
		{"counts nothing", broken(func(e tables.Event, emit func(tables.Event)) {
			if _, ok := e.(*tables.RecordKind); !ok {
				emit(e)
			}
		}), "accounted"},
		{"differs from time to time", broken(func(e tables.Event, emit func(tables.Event)) {
			if m, ok := e.(*tables.Message); ok {
				calls++
				m.UUID = strconv.Itoa(calls)
			}
			emit(e)
		}), "same twice"},
		{"bad JSON", broken(func(e tables.Event, emit func(tables.Event)) {
			if c, ok := e.(*tables.ToolCall); ok {
				c.Input = "{'a'}"
			}
			emit(e)
		}), "well formed"},
		{"results in a session of their own", broken(func(e tables.Event, emit func(tables.Event)) {
			if r, ok := e.(*tables.ToolResult); ok {
				emit(&tables.Session{SessionID: "other"})
				emit(&tables.Message{Role: tables.RoleUser})
				e = r
			}
			emit(e)
		}), "pointing"},
		{"newest first", newestFirst(), "cut anywhere"},
		{"a garbled line costs the rest", reading(func(r io.Reader, line func([]byte)) error {
			s := bufio.NewScanner(r)
			for s.Scan() && (len(s.Bytes()) == 0 || fastjson.ValidateBytes(s.Bytes()) == nil) {
				line(s.Bytes())
			}
			return s.Err()
		}), "garbled line instead"},
		{"takes one read for the whole", reading(func(r io.Reader, line func([]byte)) error {
			buf := make([]byte, 1<<20)
			n, err := r.Read(buf)
			for _, l := range bytes.Split(buf[:n], []byte("\n")) {
				line(l)
			}
			if err == io.EOF {
				err = nil
			}
			return err
		}), "one byte at a time"},
		{"swallows read errors", reading(func(r io.Reader, line func([]byte)) error {
			s := bufio.NewScanner(r)
			for s.Scan() {
				line(s.Bytes())
			}
			return nil
		}), "failing disk"},
		{"takes the byte order mark for text", reading(func(r io.Reader, line func([]byte)) error {
			s := bufio.NewScanner(r)
			for s.Scan() {
				line(s.Bytes())
			}
			return s.Err()
		}), "byte order mark"},
		{"limits the line", reading(func(r io.Reader, line func([]byte)) error {
			s := bufio.NewScanner(r)
			for s.Scan() {
				line(s.Bytes())
			}
			return s.Err()
		}), "very long lines"},
		{"changes nothing", broken(func(e tables.Event, emit func(tables.Event)) { emit(e) }), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.rule == "very long lines" {
				whole.Test(t, "reads lines of 64 MB")
			}
			violated := violations(t, test.reader, test.rule)
			if test.rule == "" && len(violated) > 0 || test.rule != "" && !slices.Contains(violated, test.rule) {
				t.Errorf("violates %q, want %q among them", violated, test.rule)
			}
		})
	}
}

func newestFirst() *readers.Reader {
	r := toy()
	r.Read = func(in *readers.Input) error {
		var events []tables.Event
		emit, copied := in.Emit, *in
		copied.Emit = func(e tables.Event) { events = append(events, e) }
		err := readToy(&copied)
		emit(events[0])
		for _, e := range slices.Backward(events[1:]) {
			emit(e)
		}
		return err
	}
	return r
}

// violations returns the names of the rules that a reader breaks. It tries only the
// named slow rule.
func violations(t *testing.T, r *readers.Reader, slow string) []string {
	var names []string
	for _, s := range readSamples(t, "testdata", r, Options{}) {
		for _, rule := range rules() {
			if rule.slow && rule.name != slow {
				continue
			}
			if err := s.checkRule(rule); err != nil {
				if !strings.Contains(err.Error(), rule.why) {
					t.Errorf("%s: the message doesn't explain the rule: %v", rule.name, err)
				}
				names = append(names, rule.name)
			}
		}
	}
	return names
}

func TestKeysAcrossFiles(t *testing.T) {
	same := broken(func(e tables.Event, emit func(tables.Event)) {
		if s, ok := e.(*tables.Session); ok {
			s.SessionID = "one for all"
		}
		emit(e)
	})
	for _, s := range readSamples(t, "testdata", same, Options{}) {
		if err := s.keysAcrossFiles(); err == nil {
			t.Error("two files with one session id were not noticed")
		}
	}
}

func TestTablesFilled(t *testing.T) {
	samples := readSamples(t, "testdata", toy(), Options{})
	r := toy()
	if err := tablesFilled(r, samples); err != nil {
		t.Error(err)
	}
	r.Records[readers.Interruptions] = readers.Recorded
	if err := tablesFilled(r, samples); err == nil || !strings.Contains(err.Error(), "interruptions") {
		t.Errorf("a table that no sample fills gives %v", err)
	}
}

func TestRecordsAreTrue(t *testing.T) {
	samples := readSamples(t, "testdata", toy(), Options{})
	for name, change := range map[string]func(map[readers.Fact]readers.Extent){
		"too much":   func(m map[readers.Fact]readers.Extent) { m[readers.Costs] = readers.Recorded },
		"too little": func(m map[readers.Fact]readers.Extent) { delete(m, readers.Refusals) },
		"not so":     func(m map[readers.Fact]readers.Extent) { m[readers.Refusals] = readers.Inferred },
	} {
		r := toy()
		change(r.Records)
		if err := recordsAreTrue(r, samples); err == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}

func TestObjects(t *testing.T) {
	for line, want := range map[string]int{
		`{"a":1}`: 1, `{"a":1}{"b":2}`: 2, "": 0, " \r\n": 0, "42": -1, "null": -1, `{"a":1`: -1, `{"a":1}x`: -1, "{}\x00": -1,
	} {
		if n, ok := objects([]byte(line)); ok != (want >= 0) || ok && n != want {
			t.Errorf("%q: %d, %v; want %d", line, n, ok, want)
		}
	}
}

// TestVersionFollowsRows: if a reader makes other rows of the same logs, checkVersion
// asks for a new Version. After a new Version, or for a new sample, it asks for a new
// version.txt.
func TestVersionFollowsRows(t *testing.T) {
	dir := t.TempDir()
	load := func(r *readers.Reader) []*sample { return readSamples(t, "testdata", r, Options{}) }
	check := func(r *readers.Reader, samples []*sample, update bool, want string) {
		t.Helper()
		if err := checkVersion(r, samples, dir, update, true); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	samples := load(toy())
	check(toy(), samples, false, "make update")
	check(toy(), samples, true, "")
	check(toy(), samples, false, "")

	other := broken(func(e tables.Event, emit func(tables.Event)) {
		if m, ok := e.(*tables.Message); ok {
			m.Text += "!"
		}
		emit(e)
	})
	changed := load(other)
	check(other, changed, false, "add 1 to its Version")
	check(other, changed, true, "version.txt back from git")
	if err := checkVersion(other, changed, dir, false, false); err == nil || !strings.Contains(err.Error(), "go test -update") {
		t.Errorf("a record that isn't committed gives %v", err)
	}
	other.Version++
	check(other, changed, false, "make update")
	check(other, changed, true, "")
	check(other, changed, false, "")

	for _, s := range changed {
		s.archive.Files[0].Data = append(s.archive.Files[0].Data, '\n') // changes the log
	}
	check(other, changed, false, "make update")
	check(other, changed, true, "")
}
