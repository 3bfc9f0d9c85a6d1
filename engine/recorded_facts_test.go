package engine_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/internal/whole"
)

// recordedAgents lists the agents whose recorded scenarios TestRecordedFacts checks.
var recordedAgents = []string{"pi", "openclaw", "kimi", "grok", "qwen", "cline"}

// arguedFacts gives, for an agent and a scenario, why the rows rightly differ from the
// facts. A scenario without a difference fails the test.
var arguedFacts = map[string]string{}

// recorded holds the facts about one log, or about one session of a log.
type recorded struct {
	agent, scenario string
	facts           map[string][]fact // by key
}

// fact is a line of facts.tsv: for each part the allowed texts.
type fact struct {
	parts    [][]string
	optional bool
	text     string
}

// anything is the allowed text of a part that may hold anything.
const anything = "\x00"

// recordedFacts reads facts.tsv. The README beside facts.tsv has the grammar.
func recordedFacts(t *testing.T, file string) map[string]*recorded {
	t.Helper()
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	lines := csv.NewReader(f)
	lines.Comma, lines.LazyQuotes = '\t', true
	list, err := lines.ReadAll()
	must(t, err)
	sources := map[string]*recorded{}
	for _, l := range list[1:] {
		s := sources[l[0]]
		if s == nil {
			s = &recorded{agent: l[1], scenario: l[2], facts: map[string][]fact{}}
			sources[l[0]] = s
		}
		key, optional := strings.CutSuffix(l[3], "?")
		s.facts[key] = append(s.facts[key], fact{parts: partsOf(l[4]), optional: optional, text: l[3] + " " + l[4]})
	}
	return sources
}

// partsOf splits a value at | into parts, and each part at / into the allowed texts.
func partsOf(value string) [][]string {
	parts, text := [][]string{nil}, strings.Builder{}
	end := func() {
		parts[len(parts)-1] = append(parts[len(parts)-1], text.String())
		text.Reset()
	}
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\\' && i+1 < len(value):
			i++
			text.WriteString(strings.NewReplacer("t", "\t", "n", "\n").Replace(value[i : i+1]))
		case c == '|':
			end()
			parts = append(parts, nil)
		case c == '/':
			end()
		case c == '*':
			text.WriteString(anything)
		default:
			text.WriteByte(c)
		}
	}
	end()
	return parts
}

// fits reports whether a row's cells agree with the fact. A cell with line feeds before
// a text, as the last of granted, holds several columns: the text stands in it.
func (f fact) fits(key string, row []string) bool {
	if len(row) != len(f.parts) {
		return false
	}
	for i, allowed := range f.parts {
		holds := func(text string) bool {
			return text == anything || text == row[i] || key == "granted" && i == len(row)-1 && strings.Contains(row[i], text)
		}
		if !slices.ContainsFunc(allowed, holds) {
			return false
		}
	}
	return true
}

// differences matches the rows of a key with its facts: each row needs a fact of its
// own, and each fact that isn't optional a row.
func differences(key string, facts []fact, rows [][]string) (list []string) {
	of := make([]int, len(rows)) // the fact of each row, or -1
	for i := range of {
		of[i] = -1
	}
	taken := map[int]int{} // the row of each fact
	var try func(f int, seen map[int]bool) bool
	try = func(f int, seen map[int]bool) bool {
		for r, row := range rows {
			if seen[r] || !facts[f].fits(key, row) {
				continue
			}
			seen[r] = true
			if of[r] < 0 || try(of[r], seen) {
				of[r], taken[f] = f, r
				return true
			}
		}
		return false
	}
	for _, optional := range []bool{false, true} { // required facts first: a matched fact stays matched
		for f := range facts {
			if facts[f].optional == optional && !try(f, map[int]bool{}) && !optional {
				list = append(list, "no row for "+facts[f].text)
			}
		}
	}
	for r, row := range rows {
		if of[r] < 0 {
			list = append(list, fmt.Sprintf("no fact for %s %s", key, strings.Join(row, "|")))
		}
	}
	return list
}

// recordedRows holds, by key, a query for the rows of each session: its id, and the
// cells as a list.
var recordedRows = map[string]string{
	"sessions": `SELECT session_id, [s.path] FROM with_copies.sessions JOIN sources s USING (source_id)`,
	"prompts": `SELECT session_id, [(count(*) FILTER (kind = 'prompt' AND typed_by = 'human'))::VARCHAR]
		FROM with_copies.messages WHERE NOT is_copy GROUP BY ALL`,
	"other_prompts": `SELECT session_id, [(count(*) FILTER (kind = 'prompt' AND typed_by IS DISTINCT FROM 'human'))::VARCHAR]
		FROM with_copies.messages WHERE NOT is_copy GROUP BY ALL`,
	"calls":        countedCalls + `(parent_tool_use_id IS NULL))::VARCHAR] FROM with_copies.tool_calls WHERE NOT is_copy GROUP BY ALL`,
	"nested_calls": countedCalls + `(parent_tool_use_id IS NOT NULL))::VARCHAR] FROM with_copies.tool_calls WHERE NOT is_copy GROUP BY ALL`,
	"pending":      countedCalls + `(status = 'pending'))::VARCHAR] FROM with_copies.tool_calls WHERE NOT is_copy GROUP BY ALL`,

	"input_tokens":       `SELECT session_id, [coalesce(input_tokens, 0)::VARCHAR] FROM with_copies.sessions`,
	"output_tokens":      `SELECT session_id, [coalesce(output_tokens, 0)::VARCHAR] FROM with_copies.sessions`,
	"cache_read_tokens":  `SELECT session_id, [coalesce(cache_read_tokens, 0)::VARCHAR] FROM with_copies.sessions`,
	"cache_write_tokens": `SELECT session_id, [coalesce(cache_write_tokens, 0)::VARCHAR] FROM with_copies.sessions`,
	"cost_usd":           `SELECT session_id, [format('{:.5f}', coalesce(cost_usd, 0))] FROM with_copies.sessions`,

	"refused": `SELECT r.session_id, [r.tool_name, r.decided_by, r.reason, c.waited_ms::VARCHAR] FROM with_copies.rejections r
		LEFT JOIN with_copies.tool_calls c ON c.agent = r.agent AND c.session_id = r.session_id AND c.tool_use_id = r.tool_use_id AND NOT c.is_copy
		WHERE NOT r.is_copy AND NOT r.cascaded`,
	"cascaded": `SELECT session_id, [tool_name] FROM with_copies.rejections WHERE NOT is_copy AND cascaded`,
	"granted": `SELECT session_id, [tool_name, decided_by, decision_scope, waited_ms::VARCHAR, concat(output, chr(10), extra)] FROM with_copies.tool_calls
		WHERE NOT is_copy AND decision = 'granted' AND coalesce(decided_by, '') NOT IN ('rule', 'mode', 'setting', 'classifier', 'sandbox')`,
	"stop":       `SELECT session_id, [type, phase] FROM with_copies.interruptions WHERE NOT is_copy`,
	"compaction": `SELECT session_id, [trigger, pre_tokens::VARCHAR, post_tokens::VARCHAR] FROM with_copies.compactions WHERE NOT is_copy`,
	"clear": `SELECT coalesce(session_id, next_session_id), [if(evidence = 'inferred' OR is_inferred, 'inferred', 'recorded')]
		FROM with_copies.clears WHERE NOT is_copy`,
	"error": `SELECT session_id, [tool_name, error_type] FROM with_copies.tool_calls
		WHERE NOT is_copy AND status = 'error' AND tool_kind IS DISTINCT FROM 'script'`,
}

const countedCalls = `SELECT session_id, [(count(*) FILTER `

// numbers are the keys with a number for each source, which is 0 without a row.
var numbers = strings.Fields("prompts other_prompts calls nested_calls pending input_tokens output_tokens cache_read_tokens cache_write_tokens cost_usd")

// rowsBySource returns the rows of each key, by source, and the sessions without a source.
// A session's source is the source that ends with its id, or its log file, or the only
// source in the folder of its log.
func rowsBySource(t *testing.T, h *home, agent string, sources map[string]*recorded) (bySource map[string]map[string][][]string, others []string) {
	t.Helper()
	of, byID, byFolder := map[string]string{}, map[string]string{}, map[string]string{}
	for source := range sources {
		if _, id, named := strings.Cut(source, "#"); named {
			byID[id] = source
			continue
		}
		if folder := path.Dir(source); byFolder[folder] == "" {
			byFolder[folder] = source
		} else {
			byFolder[folder] = several
		}
	}
	bySource = map[string]map[string][][]string{}
	for _, key := range append([]string{"sessions"}, keysOfRows()...) {
		for _, line := range h.Rows(fmt.Sprintf("SELECT to_json([id, to_json(cells)::VARCHAR]) FROM (SELECT * FROM (%s) AS t(id, cells)) SEMI JOIN (FROM with_copies.sessions WHERE agent = '%s') o ON o.session_id = id", recordedRows[key], agent)) {
			var pair []string
			var cells []*string
			must(t, json.Unmarshal([]byte(line), &pair))
			must(t, json.Unmarshal([]byte(pair[1]), &cells))
			id, row := pair[0], make([]string, len(cells))
			for i, cell := range cells {
				if cell != nil {
					row[i] = *cell
				}
			}
			if key == "sessions" {
				rel, err := filepath.Rel(h.Dir, row[0])
				must(t, err)
				switch rel = filepath.ToSlash(rel); {
				case byID[id] != "":
					of[id] = byID[id]
				case sources[rel] != nil:
					of[id] = rel
				case byFolder[path.Dir(rel)] != "" && byFolder[path.Dir(rel)] != several:
					of[id] = byFolder[path.Dir(rel)]
				default:
					others = append(others, rel+"#"+id)
				}
				continue
			}
			source := of[id]
			if bySource[source] == nil {
				bySource[source] = map[string][][]string{}
			}
			bySource[source][key] = append(bySource[source][key], row)
		}
	}
	return bySource, others
}

// several stands for the source of a folder with several sources.
const several = "\x00"

// keysOfRows returns the keys in a fixed order, except sessions.
func keysOfRows() (keys []string) {
	for key := range recordedRows {
		if key != "sessions" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// TestDifferences matches rows with facts: a fact with alternatives gives way to a fact
// that fits only one row.
func TestDifferences(t *testing.T) {
	facts := func(values ...string) (list []fact) {
		for _, value := range values {
			value, optional := strings.CutSuffix(value, "?")
			list = append(list, fact{parts: partsOf(value), optional: optional, text: value})
		}
		return list
	}
	rows := func(list ...string) (rows [][]string) {
		for _, row := range list {
			rows = append(rows, strings.Split(row, "|"))
		}
		return rows
	}
	for _, test := range []struct {
		name  string
		facts []fact
		rows  [][]string
		wrong int
	}{
		{"equal", facts("a|b", "c|"), rows("c|", "a|b"), 0},
		{"alternatives", facts("a/b|*", "a|*"), rows("a|1", "b|2"), 0},
		{"alternatives, the other way", facts("a|*", "a/b|*"), rows("a|1", "a|2"), 0},
		{"one row for two facts", facts("a", "a"), rows("a"), 1},
		{"no fact", nil, rows("a"), 1},
		{"another", facts("a"), rows("b"), 2},
		{"optional", facts("a?", "b?"), rows("b"), 0},
		{"optional gives way", facts("a?", "a/b"), rows("a", "b"), 0},
		{"empty or b", facts("/b|x"), rows("|x"), 0},
		{"escaped", facts(`\*\|\/|x\ty`), [][]string{{"*|/", "x\ty"}}, 0},
		{"fewer parts", facts("a|b"), rows("a"), 2},
	} {
		if wrong := differences("stop", test.facts, test.rows); len(wrong) != test.wrong {
			t.Errorf("%s: %q", test.name, wrong)
		}
	}
}

// TestRecordedFacts loads recorded sessions of several agents, and compares the rows
// with the facts about each session. It skips a key that no fact of the agent has.
func TestRecordedFacts(t *testing.T) {
	whole.Test(t, "loads real logs")
	t.Parallel()
	from := corpus.Home(t, "agents-3")
	all := recordedFacts(t, filepath.Join(filepath.Dir(from), "facts.tsv"))
	tree := t.TempDir()
	must(t, os.CopyFS(tree, os.DirFS(from)))
	h := load(t, tree)
	for _, agent := range recordedAgents {
		t.Run(agent, func(t *testing.T) {
			sources, told := map[string]*recorded{}, map[string]bool{}
			for source, s := range all {
				if s.agent == agent {
					sources[source] = s
					for key := range s.facts {
						told[key] = true
					}
				}
			}
			for _, key := range []string{"refused", "cascaded", "granted", "stop", "compaction", "clear", "error"} {
				told[key] = true // without a line there is no such row
			}
			rows, others := rowsBySource(t, h, agent, sources)
			for _, source := range others {
				t.Errorf("%s is a session of no scenario", source)
			}
			for _, problem := range h.Rows(fmt.Sprintf("SELECT path, line, what FROM problems WHERE agent = '%s'", agent)) {
				t.Errorf("problem %s", problem)
			}
			wrong, scenarios := map[string][]string{}, map[string]bool{}
			for source, s := range sources {
				scenarios[s.scenario] = true
				for _, key := range keysOfRows() {
					if told[key] {
						wrong[s.scenario] = append(wrong[s.scenario], differences(key, s.facts[key], orZero(key, rows[source][key]))...)
					}
				}
			}
			right := 0
			for scenario := range scenarios {
				switch why := arguedFacts[agent+" "+scenario]; {
				case len(wrong[scenario]) == 0 && why == "":
					right++
				case len(wrong[scenario]) == 0:
					t.Errorf("%s: no longer differs, but is argued: %s", scenario, why)
				case why == "":
					t.Errorf("%s:\n\t%s", scenario, strings.Join(wrong[scenario], "\n\t"))
				}
			}
			t.Logf("%d of %d scenarios are right", right, len(scenarios))
		})
	}
}

// orZero returns the rows of a key. A number without a row is 0, and several sessions'
// numbers are added.
func orZero(key string, rows [][]string) [][]string {
	if !slices.Contains(numbers, key) || len(rows) == 1 {
		return rows
	}
	sum, form := 0.0, 0
	for _, row := range rows {
		n, _ := strconv.ParseFloat(row[0], 64)
		sum += n
	}
	if key == "cost_usd" {
		form = 5
	}
	return [][]string{{strconv.FormatFloat(sum, 'f', form, 64)}}
}
