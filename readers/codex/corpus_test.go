package codex_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/codex"
	"hindsql/tables"
)

// Counts from the collection's own README, made without this program.
const (
	corpusRollouts  = 45
	corpusLines     = 20738
	corpusRefusals  = 13
	corpusAborts    = 27
	corpusCompacted = 11
)

// line is a rollout's line as another JSON reader sees it.
type line struct {
	Type    string
	Payload struct {
		Type, Role, ID string
		Output         json.RawMessage
		Info           *struct {
			Total usage `json:"total_token_usage"`
		}
	}
}

type usage struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Output int64 `json:"output_tokens"`
}

// counts holds the counts of one rollout or of all.
type counts struct {
	rollouts, lines, refusals, aborts, compacted, calls, outputs, assistant int
}

// rollout holds the counts of one file: counted here (want), and by the reader (got).
type rollout struct {
	path       string
	want, got  counts
	total, sum usage
	forked     bool
}

func realRollouts(t *testing.T) []*rollout {
	t.Helper()
	root := filepath.Join(corpus.Home(t, "home"), ".codex")
	logs, err := codex.Reader.Find([]readers.Place{{Path: root, From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	var all []*rollout
	for _, log := range logs {
		if strings.HasPrefix(path.Base(log.Rel), "rollout-") {
			r := &rollout{path: log.Rel}
			r.count(t, log.Path)
			r.read(t, log)
			all = append(all, r)
		}
	}
	return all
}

// count counts without the reader.
func (r *rollout) count(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r.want.rollouts = 1
	metas := 0
	for text := range bytes.Lines(data) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		r.want.lines++
		switch l.Type {
		case "session_meta":
			metas++
		case "compacted":
			r.want.compacted++
		case "event_msg":
			if l.Payload.Type == "turn_aborted" {
				r.want.aborts++
			}
			if l.Payload.Info != nil {
				r.total = l.Payload.Info.Total
			}
		case "response_item":
			r.countItem(&l)
		}
	}
	r.forked = metas > 1
}

func (r *rollout) countItem(l *line) {
	switch p := &l.Payload; p.Type {
	case "function_call", "custom_tool_call", "web_search_call":
		r.want.calls++
	case "function_call_output", "custom_tool_call_output":
		r.want.outputs++
		var text string
		if json.Unmarshal(p.Output, &text) == nil && (text == "exec command rejected by user" || text == "patch rejected by user") {
			r.want.refusals++
		}
	case "message":
		if p.Role == "assistant" {
			r.want.assistant++
		}
	}
}

func (r *rollout) read(t *testing.T, log readers.Log) {
	r.got.rollouts = 1
	input := readers.Input{
		Rel:      log.Rel,
		Open:     func() (io.ReadCloser, error) { return os.Open(log.Path) },
		ReadFile: func(string) ([]byte, error) { return nil, os.ErrNotExist },
		Exists:   func(string) bool { return false },
	}
	var messages []*tables.Message
	input.Emit = func(e tables.Event) {
		switch e := e.(type) {
		case *tables.Message:
			messages = append(messages, e)
		case *tables.RecordKind:
			r.got.lines += int(e.Lines)
			if !e.Known {
				t.Errorf("%s: unknown kind %s", log.Rel, e.Kind)
			}
		case *tables.Rejection:
			if e.DecidedBy == tables.ByUser && e.Evidence == tables.EvidenceRecorded {
				r.got.refusals++
			}
		case *tables.Interruption:
			if strings.HasPrefix(e.Marker, "turn_aborted") {
				r.got.aborts++
			}
		case *tables.Compaction:
			r.got.compacted++
		case *tables.ToolCall:
			r.got.calls++
		case *tables.Problem:
			t.Errorf("%s: line %d: %s", log.Rel, e.Line, e.What)
		}
	}
	if err := codex.Reader.Read(&input); err != nil {
		t.Errorf("%s: %v", log.Rel, err)
	}
	for _, m := range messages {
		r.handleMessage(m)
	}
}

func (r *rollout) handleMessage(m *tables.Message) {
	switch {
	case m.Kind == tables.KindToolResult:
		r.got.outputs++
	case m.Kind == tables.KindResponse && m.Text != "" && m.Extra != `{"events_only":true}`:
		r.got.assistant++
	}
	r.sum.Input += m.InputTokens.Value + m.CacheReadTokens.Value + m.CacheWriteTokens.Value
	r.sum.Cached += m.CacheReadTokens.Value
	r.sum.Output += m.OutputTokens.Value
}

// TestCorpus tests that every line of real logs is accounted for, and that the reader's
// rows match counts made without it.
func TestCorpus(t *testing.T) {
	var all counts
	for _, r := range realRollouts(t) {
		if r.got.assistant > r.want.assistant || r.want.assistant > 0 && r.got.assistant == 0 {
			t.Errorf("%s: %d responses with text, of %d assistant messages", r.path, r.got.assistant, r.want.assistant)
		}
		r.got.assistant, r.want.assistant = 0, 0 // two messages may be one response
		if r.got != r.want {
			t.Errorf("%s: %+v, want %+v", r.path, r.got, r.want)
		}
		all.rollouts += r.got.rollouts
		all.lines += r.got.lines
		all.refusals += r.got.refusals
		all.aborts += r.got.aborts
		all.compacted += r.got.compacted
	}
	want := counts{rollouts: corpusRollouts, lines: corpusLines, refusals: corpusRefusals, aborts: corpusAborts, compacted: corpusCompacted}
	if all != want {
		t.Errorf("%+v, want %+v", all, want)
	}
}

// TestCorpusTokens: the tokens of all messages of a session must add up to the last
// total in its file (FORMAT.md §9). A fork's file also holds its parent's counts, as
// copies.
func TestCorpusTokens(t *testing.T) {
	equal, files, compacted := 0, 0, 0
	for _, r := range realRollouts(t) {
		if r.total == (usage{}) || r.forked {
			continue
		}
		files++
		if r.want.compacted > 0 {
			compacted++
		}
		if r.sum == r.total {
			equal++
		} else {
			t.Errorf("%s: %+v, want %+v", r.path, r.sum, r.total)
		}
	}
	t.Logf("%d of %d files with tokens, forks left out; %d of them compacted", equal, files, compacted)
}
