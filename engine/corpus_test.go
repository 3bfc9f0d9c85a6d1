package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/internal/whole"
)

// load syncs a home into a new store.
func load(t testing.TB, tree string) *home {
	t.Helper()
	h := &home{T: t, Dir: tree, Store: filepath.Join(t.TempDir(), "h.duckdb")}
	h.Sync()
	return h
}

func TestCorpusTwiceIsTheSame(t *testing.T) {
	whole.Test(t, "loads real logs")
	t.Parallel()
	tree := corpus.Home(t, "home")
	first := load(t, tree)
	want := first.Dump()
	load(t, tree).WantSame(want)
	first.SyncWith(true)
	first.WantSame(want)
}

// TestCorpusFileByFile: the store ends like the store of a clean load, in whatever
// order the logs come and grow.
func TestCorpusFileByFile(t *testing.T) {
	whole.Test(t, "loads real logs")
	t.Parallel()
	from := corpus.Home(t, "home")
	random := rand.New(rand.NewSource(1))
	logs := append(transcripts(t, filepath.Join(from, ".claude")), filepath.Join(from, ".claude", "history.jsonl"))
	random.Shuffle(len(logs), func(i, j int) { logs[i], logs[j] = logs[j], logs[i] })
	h := &home{T: t, Dir: t.TempDir(), Store: filepath.Join(t.TempDir(), "h.duckdb")}
	for i, log := range logs {
		rel, err := filepath.Rel(from, log)
		must(t, err)
		text, err := os.ReadFile(log)
		must(t, err)
		half := bytes.IndexByte(text[len(text)/2:], '\n') + len(text)/2 + 1
		must(t, appendFile(filepath.Join(h.Dir, rel), text[:half]))
		if i%25 == 0 {
			h.Sync()
		}
		must(t, appendFile(filepath.Join(h.Dir, rel), text[half:]))
	}
	h.Sync()
	h.WantSame(load(t, h.Dir).Dump())
}

// scan holds the counts of a plain scan of the transcripts' JSON, without any of the
// program's code.
type scan struct {
	lines, records, boundaries, interrupted int
	refused                                 []string // tool_use_ids
}

type rawRecord struct {
	Type, Subtype string
	Message       struct{ Content json.RawMessage }
}

type rawBlock struct {
	Type, Text string
	ToolUseID  string `json:"tool_use_id"`
	Content    json.RawMessage
}

const (
	rawRefusal      = "The user doesn't want to proceed with this tool use"
	rawInterruption = "[Request interrupted by user"
)

func scanTranscripts(t *testing.T, tree string) (s scan) {
	t.Helper()
	for _, path := range transcripts(t, filepath.Join(tree, ".claude")) {
		text, err := os.ReadFile(path)
		must(t, err)
		for line := range bytes.Lines(text) {
			s.lines++
			for d := json.NewDecoder(bytes.NewReader(line)); ; {
				var r rawRecord
				if d.Decode(&r) != nil {
					break
				}
				s.record(&r)
			}
		}
	}
	return s
}

func (s *scan) record(r *rawRecord) {
	s.records++
	if r.Subtype == "compact_boundary" {
		s.boundaries++
	}
	if r.Type != "user" {
		return
	}
	for _, b := range blocks(r.Message.Content) {
		switch {
		case b.Type == "text" && strings.HasPrefix(b.Text, rawInterruption):
			s.interrupted++
		case b.Type == "tool_result" && strings.HasPrefix(plain(b.Content), rawRefusal):
			s.refused = append(s.refused, b.ToolUseID)
		}
	}
}

// blocks returns a message's content, which may be a string.
func blocks(content json.RawMessage) (list []rawBlock) {
	if json.Unmarshal(content, &list) != nil {
		list = []rawBlock{{Type: "text", Text: plain(content)}}
	}
	return list
}

func plain(content json.RawMessage) (text string) {
	if json.Unmarshal(content, &text) != nil {
		var list []rawBlock
		json.Unmarshal(content, &list)
		for _, b := range list {
			text += b.Text
		}
	}
	return text
}

// countedCorpus is the collection of real logs that the numbers here come from. With
// another collection the test is skipped.
func countedCorpus(t *testing.T) (tree string, raw scan) {
	t.Helper()
	tree = corpus.Home(t, "home")
	raw = scanTranscripts(t, tree)
	if raw.lines != 24431 || raw.records != 24434 || raw.boundaries != 17 || raw.interrupted != 71 || len(raw.refused) != 108 {
		t.Skipf("not the collection of logs that was counted: %d lines, %d records, %d boundaries, %d interruptions, %d refusals",
			raw.lines, raw.records, raw.boundaries, raw.interrupted, len(raw.refused))
	}
	return tree, raw
}

// TestCorpusReconciles counts the transcripts' JSON anew, and says where each of the
// counted lines is in the tables.
func TestCorpusReconciles(t *testing.T) {
	whole.Test(t, "loads real logs")
	t.Parallel()
	tree, raw := countedCorpus(t)
	claudeOnly := t.TempDir()
	must(t, os.Symlink(filepath.Join(tree, ".claude"), filepath.Join(claudeOnly, ".claude")))
	h := load(t, claudeOnly)

	// Every line is a record of some kind; three hold two objects each.
	h.Want("SELECT sum(lines) FROM record_kinds WHERE kind <> 'history'", "24434")
	h.Want("SELECT count(*) FILTER (NOT known) FROM record_kinds", "0")
	h.Want("SELECT count(*), min(what) FROM problems", "3|several objects on one line; this one was read too")
	h.Want("SELECT count(*) FROM sources", "198")

	// 108 refusals = 102 rejections by the user, 2 of them of MCP calls that never
	// began, + 6 plans that were accepted with their context cleared. No copies.
	slices.Sort(raw.refused)
	refused := slices.Compact(raw.refused)
	if len(refused) != 108 {
		t.Errorf("%d distinct refused calls", len(refused))
	}
	var missing []string
	rejected := h.Rows("SELECT tool_use_id FROM rejections WHERE decided_by = 'user'")
	for _, id := range refused {
		if !slices.Contains(rejected, id) {
			missing = append(missing, id)
		}
	}
	if len(missing) != 6 || len(rejected) != 102 {
		t.Errorf("%d rejections; %d refusals are none of them, 6 should be: %v", len(rejected), len(missing), missing)
	}
	h.Want(fmt.Sprintf("SELECT count(*) FROM tool_calls WHERE status = 'rejected' AND tool_use_id IN ('%s')", strings.Join(missing, "', '")), "0")
	h.Want("SELECT count(*) FROM clears WHERE trigger = 'plan' AND confidence = 1", "6")

	// 71 interruption lines = 60 rows + the lines of the 6 accepted plans + 5 of helpers
	// that ended because the person typed on.
	h.Want("SELECT count(*) FROM interruptions WHERE type = 'user'", "60")
	h.Want("SELECT count(*) FROM compactions", "17")

	// 7 /clear were typed, and each is one clear.
	h.Want("SELECT count(*) FROM prompts WHERE trim(text) = '/clear'", "7")
	h.Want("SELECT count(*) FROM clears WHERE command = '/clear' AND evidence IN ('history', 'both')", "7")
	h.Want("SELECT count(*) FROM prompts p ANTI JOIN clears c ON c.agent = p.agent AND c.timestamp = p.timestamp WHERE trim(p.text) = '/clear'", "0")
}

// TestCorpusPartialDenials checks the status of each call in batches (the calls of one
// response) with one refused call. Claude Code's logs have five such batches. With
// Codex and Gemini CLI, every call refused at an approval prompt was the only call of
// its response.
func TestCorpusPartialDenials(t *testing.T) {
	whole.Test(t, "loads real logs")
	t.Parallel()
	tree, _ := countedCorpus(t)
	h := load(t, tree)
	const refused = "FROM tool_calls c SEMI JOIN (SELECT agent, session_id, tool_use_id FROM rejections WHERE decided_by = 'user') USING (agent, session_id, tool_use_id)"
	h.Want(`SELECT DISTINCT c.agent || ' ' || string_agg(c.tool_name || ' ' || c.status || coalesce(' by ' || cause.tool_name, ''), ', ' ORDER BY c.batch_index) AS fates
		FROM tool_calls c
		SEMI JOIN (`+refused+` SELECT agent, session_id, message_index WHERE c.batch_size > 1) USING (agent, session_id, message_index)
		LEFT JOIN rejections r ON r.tool_use_id = c.tool_use_id AND r.cascaded
		LEFT JOIN tool_calls cause ON cause.tool_use_id = r.cause_tool_use_id
		WHERE c.agent <> 'neovate'
		GROUP BY c.agent, c.session_id, c.message_index ORDER BY fates`,
		"claude Bash ok, Bash rejected, Bash interrupted by Bash",
		"claude Edit ok, Edit rejected, Edit skipped by Edit, Edit skipped by Edit",
		"claude Edit rejected, Bash interrupted by Edit",
		"claude Grep ok, Bash rejected",
		"claude TodoWrite ok, Edit rejected")
	h.Want(refused+" SELECT c.agent, count(*), max(c.batch_size) WHERE c.agent IN ('codex', 'gemini') GROUP BY ALL ORDER BY ALL", "codex|13|1", "gemini|2|1") // Codex has one more, which is only inferred
	h.Want("SELECT count(*) FROM rejections WHERE cascaded AND decided_by <> 'rule'", "0")
}

// TestGeneratedTreeAddsUp compares the store with the counts of the tree's generator.
func TestGeneratedTreeAddsUp(t *testing.T) {
	t.Parallel()
	tree := benchTree(t)
	text, err := os.ReadFile(filepath.Join(tree, ".claude", "TRUTH.json"))
	must(t, err)
	var truth map[string]int64
	must(t, json.Unmarshal(text, &truth))
	h := load(t, tree)
	for fact, query := range map[string]string{
		"files":          "FROM sources",
		"bad":            "FROM problems",
		"rej_reason":     "FROM rejections WHERE decided_by = 'user' AND reason IS NOT NULL",
		"compact":        "FROM compactions",
		"clear":          "FROM clears",
		"sessions":       "FROM sessions WHERE kind = 'main'",
		"subagent_files": "FROM sessions WHERE kind = 'subagent'",
	} {
		if got, want := h.Rows("SELECT count(*) " + query)[0], fmt.Sprint(truth[fact]); got != want {
			t.Errorf("%s: got %s, want %s", fact, got, want)
		}
	}
}

// benchTree is a home whose .claude the benchmarks' generator made. Without a generated
// tree the test is skipped.
func benchTree(t testing.TB) string {
	t.Helper()
	tree := os.Getenv("HINDSQL_BENCH_TREE")
	if _, err := os.Stat(filepath.Join(tree, ".claude")); tree == "" || err != nil {
		t.Skip("no generated tree: set HINDSQL_BENCH_TREE to a home with one")
	}
	return tree
}
