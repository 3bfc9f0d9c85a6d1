package claude_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/claude"
	"hindsql/tables"
)

// Counts from the collection's own README, made without this program.
const (
	corpusLines     = 24431
	corpusHistory   = 370
	corpusDamaged   = 3
	corpusRefusals  = 108
	corpusInterrupt = 71
	corpusHelpers   = 5 // of the interruptions: helpers that ended because the person typed on
	corpusCompacted = 17
	corpusClears    = 7
)

// tally holds the counts of one log or of all.
type tally struct {
	lines, objects, records                     int
	refusals, markers, compactions, typedClears int
	rejections                                  []*tables.Rejection // complete at the end of the log
	problems                                    []*tables.Problem
	unknown                                     map[string]int64
}

// TestCorpus tests that every line of real logs is accounted for, and that the counts
// equal counts made without this reader.
func TestCorpus(t *testing.T) {
	root := filepath.Join(corpus.Home(t, "home"), ".claude")
	logs, err := claude.Reader.Find([]readers.Place{{Path: root, From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	all := tally{unknown: map[string]int64{}}
	for _, log := range logs {
		one := tallyOf(t, log)
		if one.records != one.objects {
			t.Errorf("%s: %d records were counted, %d objects stand in it", log.Rel, one.records, one.objects)
		}
		all.add(one)
	}
	for _, n := range []struct {
		what      string
		got, want int
	}{
		{"lines", all.lines, corpusLines + corpusHistory},
		{"objects", all.objects, corpusLines + corpusHistory + corpusDamaged},
		{"problems", len(all.problems), corpusDamaged},
		{"results that a person refused", all.refusals, corpusRefusals},
		{"markers of interruptions", all.markers, corpusInterrupt - corpusHelpers},
		{"compactions", all.compactions, corpusCompacted},
		{"typed clears", all.typedClears, corpusClears},
	} {
		if n.got != n.want {
			t.Errorf("%s: %d, want %d", n.what, n.got, n.want)
		}
	}
	if len(all.unknown) > 0 {
		t.Errorf("unknown kinds: %v", all.unknown)
	}
	for _, p := range all.problems {
		if !strings.Contains(p.What, "several objects") {
			t.Errorf("line %d: %s: %s", p.Line, p.What, p.Excerpt)
		}
	}
}

func (all *tally) add(one tally) {
	all.lines += one.lines
	all.objects += one.objects
	all.records += one.records
	all.refusals += one.refusals
	all.markers += one.markers
	all.compactions += one.compactions
	all.typedClears += one.typedClears
	all.problems = append(all.problems, one.problems...)
	for kind, n := range one.unknown {
		all.unknown[kind] += n
	}
}

func tallyOf(t *testing.T, log readers.Log) tally {
	t.Helper()
	data, err := os.ReadFile(log.Path)
	if err != nil {
		t.Fatal(err)
	}
	one := tally{unknown: map[string]int64{}}
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) > 0 {
			one.lines++
			one.objects += objectsOn(t, line)
		}
	}
	input := readers.Input{
		Rel:      log.Rel,
		Open:     func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		ReadFile: func(string) ([]byte, error) { return nil, os.ErrNotExist },
		Exists:   func(string) bool { return false },
		Emit:     one.event,
	}
	if err := claude.Reader.Read(&input); err != nil {
		t.Errorf("%s: %v", log.Rel, err)
	}
	for _, r := range one.rejections {
		if r.DecidedBy == tables.ByUser && !r.Void {
			one.refusals++
		}
	}
	return one
}

func (one *tally) event(e tables.Event) {
	switch e := e.(type) {
	case *tables.RecordKind:
		if !strings.Contains(e.Kind, "content/") { // part of a record
			one.records += int(e.Lines)
		}
		if !e.Known {
			one.unknown[e.Kind] += e.Lines
		}
	case *tables.Problem:
		one.problems = append(one.problems, e)
	case *tables.Rejection:
		one.rejections = append(one.rejections, e)
	case *tables.Interruption:
		if strings.HasPrefix(e.Marker, "[Request interrupted") {
			one.markers++
		}
	case *tables.Compaction:
		one.compactions++
	case *tables.Clear:
		if e.Evidence == tables.EvidenceHistory {
			one.typedClears++
		}
	}
}

// objectsOn counts the objects on a line with another JSON reader.
func objectsOn(t *testing.T, line []byte) int {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(line))
	for n := 0; ; n++ {
		var object map[string]json.RawMessage
		if err := decoder.Decode(&object); errors.Is(err, io.EOF) {
			return n
		} else if err != nil {
			t.Fatalf("%v: %.100s", err, line)
		}
	}
}

// usage holds the tokens of one line of a message.
type usage struct {
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
}

// TestCorpusTokens tests that a message's tokens are those of the line with most
// output, wherever this line stands. The expected numbers are computed without the
// reader.
func TestCorpusTokens(t *testing.T) {
	root := filepath.Join(corpus.Home(t, "home"), ".claude")
	logs, err := claude.Reader.Find([]readers.Place{{Path: root, From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	batch := tables.NewBatch(nil)
	defer batch.Release()
	var want, got usage
	for _, log := range logs {
		claude.Reader.Load(log, tables.Source{Agent: "claude", Path: log.Path}).AppendTo(batch)
		for _, u := range usageByMessage(t, log.Path) {
			want.Input, want.Output = want.Input+u.Input, want.Output+u.Output
		}
	}
	for _, table := range tables.All() {
		if table.Name == "messages" {
			got = usageInRows(batch.Rows(table))
		}
	}
	if got != want || want.Output == 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func usageInRows(rows []tables.Row) usage {
	var sum usage
	for _, m := range rows {
		input, _ := m["input_tokens"].(int64)
		output, _ := m["output_tokens"].(int64)
		sum.Input, sum.Output = sum.Input+input, sum.Output+output
	}
	return sum
}

func usageByMessage(t *testing.T, path string) map[string]usage {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]usage{}
	for line := range bytes.Lines(data) {
		var r struct {
			Type, UUID string
			Message    struct {
				ID    string
				Usage *usage
			}
		}
		if json.Unmarshal(line, &r) != nil || r.Type != "assistant" || r.Message.Usage == nil {
			continue // none of the three damaged lines is an assistant's
		}
		id := r.Message.ID
		if id == "" {
			id = r.UUID
		}
		if u, seen := most[id]; !seen || r.Message.Usage.Output > u.Output {
			most[id] = *r.Message.Usage
		}
	}
	return most
}
