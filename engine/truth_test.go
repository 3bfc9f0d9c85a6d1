package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/readers/all"
)

// difference is a count or an event for which the tables rightly differ from the
// collection's truth.json. An empty value means no entry.
type difference struct{ agent, what, truth, ours, argument string }

// truthDifferences lists all differences. A listed difference that no longer exists
// fails the test.
var truthDifferences = []difference{
	{"copilot", "calls typed_by_user", "2", "", typedByUser},
	{"copilot", "refusals by user", "11", "9", wentDown},
	{"copilot", "refusals by rule", "2", "4", wentDown},
	{"copilot", "interruptions system", "", "2", "an error that ends a turn is a stop by the system; the truth counts it among errors only"},
	{"copilot", "messages command", "", "2", typedByUser},
	{"copilot", "messages summary", "", "1", "a compaction's summary is a message; the truth counts it among compactions only"},
	{"copilot", "rewinds", "1", "", "what was undone is gone from the file: a notice is all that is left"},
	{"copilot", "tokens output_by_message", "13255", "14301", "the usage records of 1.0.102 are told with the answers, too"},
	{"copilot", "unknown model.*", "7", "", "they are known: a compaction's own call, with a copy of the conversation, which becomes no rows"},
	{"opencode", "calls typed_by_user", "1", "", typedByUser},
	{"opencode", "messages command", "5", "6", typedByUser},
	{"opencode", "messages injected", "5", "4", typedByUser},
	{"opencode", "messages tool_result", "80", "", "a call and its result stand in one part of the answer: no message brings the result"},
	{"opencode", "messages response", "170", "164", "an error in an answer's place (5), and what a typed command printed (1), are no responses; two that an undo took back are (+2); of the fork in the JSON tree two are copies"},
	{"opencode", "messages copy", "4", "8", "the fork in the JSON tree copied four messages, as the one in the database did"},
	{"opencode", "interruptions system", "", "5", "an error that ended the turn is a stop"},
	{"opencode", "tokens input_uncached", "1835606", "1835382", undoneAndCopied},
	{"opencode", "cost_usd", "0.341368", "0.341144", undoneAndCopied},
	{"opencode", "refusals by user", "22", "15", wentDown},
	{"opencode", "refusals by rule", "2", "9", wentDown},
	{"pi", "calls typed_by_user", "2", "", typedByUser},
	{"pi", "messages prompt", "64", "62", copiedFile},
	{"pi", "messages response", "78", "75", copiedFile + "; an error in place of a response is a message of kind error"},
	{"pi", "messages copy", "4", "8", copiedFile},
	{"pi", "sessions main", "42", "41", copiedFile},
	{"pi", "cost_usd", "0.829126", "0.766432", copiedFile},
	{"pi", "tokens input_uncached", "305275", "297407", copiedFile},
	{"pi", "tokens output", "2563", "1904", copiedFile},
	{"pi", "tokens cache_read", "103540", "96372", copiedFile},
	{"pi", "messages summary", "", "2", "a compaction's summary is a message; the truth counts it among compactions only"},
	{"pi", "interruptions system", "", "1", "an error that ends a turn is a stop by the system; the truth counts it among errors only"},
}

const (
	typedByUser = "a command that the user typed is a message of kind command, and no call of the model's"
	copiedFile  = "one session's file lies there twice: the second's messages are copies, and count once"
	wentDown    = "nobody was asked about a call that went down with a refused one: a rule of the agent's decided"

	// Only ours counts two undone answers, and only the truth counts two copied ones.
	// Their costs are equal up to this difference.
	undoneAndCopied = "what an undo took back was paid for, and the copies that the fork in the JSON tree has were not, twice"
)

// truth holds another program's counts for an agent's logs.
type truth struct {
	Summary struct {
		Sessions, Messages     map[string]any
		ToolCalls              map[string]any `json:"tool_calls"`
		ToolCallsTotal         any            `json:"tool_calls_total"`
		Refusals               map[string]any
		Approvals, Questions   map[string]any
		Interruptions          map[string]any
		Compactions            map[string]any
		Clears, Forks, Rewinds any
		Errors, Problems       any
		Tokens                 map[string]any
		Cost                   any            `json:"cost_usd"`
		UnknownKinds           map[string]any `json:"unknown_kinds"`
	}
	Refusals, Interruptions, Compactions, Clears []map[string]any
}

// facts holds counts and events by name.
type facts map[string]string

func (f facts) set(value any, name ...string) {
	if value == nil {
		value = "null"
	}
	text := fmt.Sprint(value)
	if text != "" && text != "0" && text != "0.0" && text != "NULL" { // zero is the same as no entry
		f[strings.Join(name, " ")] = text
	}
}

func (f facts) all(of map[string]any, name string) {
	for key, value := range of {
		if parts, ok := value.(map[string]any); ok {
			f.all(parts, name+" "+key)
			continue
		}
		f.set(value, name, key)
	}
}

// facts returns the truth's counts under the names of truthRows.
func (t *truth) facts() facts {
	f, s := facts{}, t.Summary
	for name, counts := range map[string]map[string]any{
		"sessions": s.Sessions, "messages": s.Messages, "calls": s.ToolCalls, "refusals": s.Refusals, "approvals": s.Approvals,
		"questions": s.Questions, "interruptions": s.Interruptions, "compactions": s.Compactions, "tokens": s.Tokens, "unknown": s.UnknownKinds,
	} {
		f.all(counts, name)
	}
	for name, count := range map[string]any{
		"calls": s.ToolCallsTotal, "clears": s.Clears, "forks": s.Forks, "rewinds": s.Rewinds, "errors": s.Errors, "problems": s.Problems, "cost_usd": s.Cost,
	} {
		f.set(count, name)
	}
	for _, r := range t.Refusals {
		by := r["by"]
		if r["cascaded"] == true {
			by = "rule" // the agent asked no user about a cascaded call; the truth counts the call for the refuser of the first call
		}
		f.set(fmt.Sprintf("%v by %v, reason %v, cascaded %v", r["tool"], by, orNull(r["reason"]), r["cascaded"]), "refusal", fmt.Sprint(r["session"], " ", r["call"]))
	}
	f.list("interruption", t.Interruptions, "type", "phase", "paired", "partial")
	f.list("compaction", t.Compactions, "trigger", "pre", "post", "has_summary")
	f.list("clear", t.Clears, "next")
	return f
}

// list numbers a session's events of one sort.
func (f facts) list(name string, of []map[string]any, keys ...string) {
	seen := map[any]int{}
	for _, one := range of {
		n := seen[one["session"]]
		seen[one["session"]]++
		for _, key := range keys {
			if value, counted := one[key]; counted {
				f.set(value, name, fmt.Sprint(one["session"]), fmt.Sprint(n), key)
			}
		}
	}
}

func orNull(v any) any {
	if v == nil {
		return "null"
	}
	return v
}

// truthRows selects agent, name and value of the tables' counts, without copies.
// Guesses are included, because the other program guesses, too. A call that didn't run
// because another call was refused is refused, too.
const truthRows = `
WITH rejections AS (FROM with_copies.rejections WHERE NOT is_copy),
clears AS (FROM with_copies.clears),
fates AS (
  SELECT c.*, CASE WHEN r.tool_use_id IS NOT NULL THEN 'refused' ELSE c.status END AS fate
  FROM tool_calls c LEFT JOIN rejections r USING (agent, session_id, tool_use_id)),
stops AS (SELECT *, row_number() OVER (PARTITION BY agent, session_id ORDER BY message_index, timestamp) - 1 AS n FROM interruptions WHERE type = 'user'),
shrinks AS (SELECT *, row_number() OVER (PARTITION BY agent, session_id ORDER BY after_message_index) - 1 AS n FROM compactions),
ends AS (SELECT *, row_number() OVER (PARTITION BY agent, session_id ORDER BY timestamp) - 1 AS n FROM clears),
activity AS (SELECT agent, is_active, lag(is_active, 1, true) OVER (PARTITION BY agent, session_id ORDER BY message_index) AS before FROM messages)
SELECT agent, 'sessions ' || kind AS what, count(*)::VARCHAR AS value FROM sessions GROUP BY ALL
UNION ALL SELECT agent, 'messages ' || kind, count(*)::VARCHAR FROM messages WHERE kind IN ('prompt', 'response', 'tool_result', 'command', 'summary', 'injected') GROUP BY ALL
UNION ALL SELECT agent, 'messages copy', count(*)::VARCHAR FROM with_copies.messages WHERE is_copy GROUP BY ALL
UNION ALL SELECT agent, 'calls ' || fate, count(*)::VARCHAR FROM fates GROUP BY ALL
UNION ALL SELECT agent, 'calls', count(*)::VARCHAR FROM fates GROUP BY ALL
UNION ALL SELECT agent, 'refusals total', count(*)::VARCHAR FROM rejections GROUP BY ALL
UNION ALL SELECT agent, 'refusals by ' || decided_by, count(*)::VARCHAR FROM rejections GROUP BY ALL
UNION ALL SELECT agent, 'refusals user_not_cascaded', count(*)::VARCHAR FROM rejections WHERE decided_by = 'user' AND NOT cascaded GROUP BY ALL
UNION ALL SELECT agent, 'refusals cascaded', count(*)::VARCHAR FROM rejections WHERE cascaded GROUP BY ALL
UNION ALL SELECT agent, 'refusals with_reason', count(*)::VARCHAR FROM rejections WHERE reason IS NOT NULL GROUP BY ALL
UNION ALL SELECT agent, 'refusal ' || session_id || ' ' || tool_use_id,
  format('{} by {}, reason {}, cascaded {}', coalesce(tool_name, 'null'), decided_by, coalesce(reason, 'null'), cascaded) FROM rejections
UNION ALL SELECT agent, 'approvals ' || CASE WHEN tool_kind = 'plan' THEN 'plan' ELSE 'approved' || CASE decision_scope
    WHEN 'session' THEN '-for-session' WHEN 'project' THEN '-for-location' WHEN 'always' THEN '-always' ELSE '' END END AS what, count(*)::VARCHAR
  FROM tool_calls WHERE decision = 'granted' AND decided_by = 'user' AND tool_kind <> 'question' GROUP BY ALL
UNION ALL SELECT agent, 'questions answered', count(*)::VARCHAR FROM tool_calls WHERE tool_kind = 'question' AND status = 'ok' GROUP BY ALL
UNION ALL SELECT agent, 'interruptions total', count(*)::VARCHAR FROM interruptions WHERE type = 'user' GROUP BY ALL
UNION ALL SELECT agent, 'interruptions system', count(*)::VARCHAR FROM interruptions WHERE type = 'system' GROUP BY ALL
UNION ALL SELECT agent, 'interruptions by_phase ' || phase, count(*)::VARCHAR FROM interruptions WHERE type = 'user' GROUP BY ALL
UNION ALL SELECT agent, format('interruption {} {} {}', session_id, n, unnest(['type', 'phase', 'paired', 'partial'])),
  unnest([type, phase, paired_rejection::VARCHAR, coalesce(length(partial_output), 0)::VARCHAR]) FROM stops
UNION ALL SELECT agent, 'compactions total', count(*)::VARCHAR FROM compactions GROUP BY ALL
UNION ALL SELECT agent, 'compactions by_trigger ' || coalesce(trigger, 'None') AS what, count(*)::VARCHAR FROM compactions GROUP BY ALL
UNION ALL SELECT agent, format('compaction {} {} {}', session_id, n, unnest(['trigger', 'pre', 'post', 'has_summary'])),
  unnest([coalesce(trigger, 'null'), coalesce(pre_tokens::VARCHAR, 'null'), coalesce(post_tokens::VARCHAR, 'null'), (summary IS NOT NULL)::VARCHAR]) FROM shrinks
UNION ALL SELECT agent, 'clears', count(*)::VARCHAR FROM clears GROUP BY ALL
UNION ALL SELECT agent, format('clear {} {} next', coalesce(session_id, 'null'), n), coalesce(next_session_id, 'null') FROM ends
UNION ALL SELECT agent, 'forks', count(*)::VARCHAR FROM sessions WHERE forked_from IS NOT NULL GROUP BY ALL
UNION ALL SELECT agent, 'rewinds', count(*)::VARCHAR FROM activity WHERE before AND NOT is_active GROUP BY ALL
UNION ALL SELECT agent, 'errors', count(*)::VARCHAR FROM messages WHERE kind = 'error' GROUP BY ALL
UNION ALL SELECT agent, 'tokens ' || unnest(['output_by_message', 'input_uncached', 'output', 'cache_read', 'cache_write', 'reasoning']) AS what,
  unnest([output, input, output, cached, written, reasoning])::VARCHAR
  FROM (SELECT agent, sum(input_tokens) AS input, sum(output_tokens) AS output, sum(cache_read_tokens) AS cached, sum(cache_write_tokens) AS written, sum(reasoning_tokens) AS reasoning FROM messages GROUP BY ALL)
UNION ALL SELECT agent, 'cost_usd', (round(sum(cost_usd), 6))::VARCHAR FROM sessions WHERE cost_usd > 0 GROUP BY ALL
UNION ALL SELECT agent, 'problems', count(*)::VARCHAR FROM problems GROUP BY ALL
UNION ALL SELECT agent, 'unknown ' || kind, sum(lines)::VARCHAR FROM record_kinds WHERE NOT known GROUP BY ALL`

// TestTruth compares the newest agents' logs, after links, with the counts of
// a program by another hand.
func TestTruth(t *testing.T) {
	whole.Test(t, "loads real logs")
	t.Parallel()
	from := corpus.Home(t, "new-agents")
	text, err := os.ReadFile(filepath.Join(filepath.Dir(from), "truth.json"))
	must(t, err)
	var counted map[string]*truth
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // as it is written
	must(t, d.Decode(&counted))
	home := t.TempDir()
	must(t, copyHome(from, home))
	h := load(t, home)
	ours := map[string]facts{}
	for _, row := range h.Rows(truthRows) {
		cells := strings.SplitN(row, "|", 3)
		if ours[cells[0]] == nil {
			ours[cells[0]] = facts{}
		}
		ours[cells[0]].set(cells[2], cells[1])
	}
	for _, agent := range slices.Sorted(maps.Keys(counted)) {
		t.Run(agent, func(t *testing.T) {
			if !slices.ContainsFunc(all.Readers(), func(r *readers.Reader) bool { return r.Agent == agent }) {
				t.Skipf("no reader of %s is registered in readers/all", agent)
			}
			compare(t, agent, counted[agent].facts(), ours[agent])
		})
	}
}

// compare reports unlisted differences, and listed differences that don't exist as
// listed.
func compare(t *testing.T, agent string, want, got facts) {
	t.Helper()
	named := map[string]difference{}
	for _, d := range truthDifferences {
		if d.agent == agent {
			named[d.what] = d
			if d.truth == d.ours || d.truth != want[d.what] || d.ours != got[d.what] || d.argument == "" {
				t.Errorf("%s: named as %q, ours %q because %q; it is %q, ours %q", d.what, d.truth, d.ours, d.argument, want[d.what], got[d.what])
			}
		}
	}
	what := slices.Collect(maps.Keys(want))
	for name := range got {
		if _, both := want[name]; !both && want.counts(name) {
			what = append(what, name)
		}
	}
	slices.Sort(what)
	for _, name := range what {
		if _, is := named[name]; !is && want[name] != got[name] {
			t.Errorf("%s: the truth is %q, ours %q", name, want[name], got[name])
		}
	}
}

// counts reports whether the truth covers a sort of fact at all: for example, the
// paired mark of interruptions exists for some agents only.
func (f facts) counts(name string) bool {
	words := strings.Fields(name)
	if sort := words[0]; sort == "interruption" || sort == "compaction" {
		last := " " + words[len(words)-1]
		for known := range f {
			if strings.HasPrefix(known, sort+" ") && strings.HasSuffix(known, last) {
				return true
			}
		}
		return last == " type" || last == " has_summary"
	}
	return name != "tokens output_by_message"
}

// copyHome copies files with their times.
func copyHome(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if err := appendFile(filepath.Join(to, rel), text); err != nil {
			return err
		}
		return os.Chtimes(filepath.Join(to, rel), info.ModTime(), info.ModTime())
	})
}
