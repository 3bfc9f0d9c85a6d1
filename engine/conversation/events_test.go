package conversation_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine/conversation"
	"hindsql/queries"
)

// saved runs a saved query without a limit.
func saved(t testing.TB, run conversation.Run, name string, given map[string]any) (columns map[string]int, list [][]any) {
	t.Helper()
	everything, err := queries.All("")
	must(t, err)
	at := slices.IndexFunc(everything, func(q *queries.Query) bool { return q.Name == name })
	given["top"] = "1000000"
	args, err := everything[at].Bind(t.Context(), queries.Run(run), given)
	must(t, err)
	set, err := run(t.Context(), everything[at].SQL, args)
	must(t, err)
	columns = map[string]int{}
	for i, c := range set.Columns {
		columns[c.Name] = i
	}
	return columns, set.Rows
}

func reference(e *conversation.Event) string {
	if e.Index < 0 {
		return e.Session
	}
	return fmt.Sprintf("%s:%d", e.Session, e.Index)
}

// filters are asked of events and of saved queries alike.
var filters = []struct {
	filter conversation.Filter
	given  map[string]any
}{
	{conversation.Filter{}, map[string]any{}},
	{conversation.Filter{Agent: "claude"}, map[string]any{"agent": "claude"}},
	{conversation.Filter{Project: "SHOP"}, map[string]any{"project": "SHOP"}},
	{conversation.Filter{Since: day("2026-10-12")}, map[string]any{"since": "2026-10-12"}},
	{conversation.Filter{Until: day("2026-10-12")}, map[string]any{"until": "2026-10-12"}},
	{conversation.Filter{Agent: "nobody"}, map[string]any{"agent": "nobody"}},
}

func day(text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return at
}

// places are the sessions and messages of a list of events, in order.
func places[T any](list []T, event func(*T) *conversation.Event) (refs []string) {
	for i := range list {
		refs = append(refs, reference(event(&list[i])))
	}
	return refs
}

// TestEventsAreThoseOfQueries: an event is a row of the saved query, for the same
// filters, in the same order.
func TestEventsAreThoseOfQueries(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(conversation.Run, conversation.Filter) ([]string, int64, error){
		"rejections": func(run conversation.Run, f conversation.Filter) ([]string, int64, error) {
			f.DecidedBy = "user"
			list, n, err := conversation.Refusals(t.Context(), run, f)
			return places(list, func(r *conversation.Refused) *conversation.Event { return &r.Event }), n, err
		},
		"interruptions": func(run conversation.Run, f conversation.Filter) ([]string, int64, error) {
			f.DecidedBy = "user"
			list, n, err := conversation.Stops(t.Context(), run, f)
			return places(list, func(r *conversation.Stopped) *conversation.Event { return &r.Event }), n, err
		},
		"compactions": func(run conversation.Run, f conversation.Filter) ([]string, int64, error) {
			list, n, err := conversation.Compactions(t.Context(), run, f)
			return places(list, func(r *conversation.Compacted) *conversation.Event { return &r.Event }), n, err
		},
		"clears": func(run conversation.Run, f conversation.Filter) ([]string, int64, error) {
			list, n, err := conversation.Clears(t.Context(), run, f)
			return places(list, func(r *conversation.Cleared) *conversation.Event { return &r.Event }), n, err
		},
	}
	onBoth(t, func(t *testing.T, run conversation.Run) {
		for name, events := range kinds {
			for _, f := range filters {
				columns, list := saved(t, run, name, f.given)
				var want []string
				for _, row := range list {
					ref, _ := row[columns["session"]].(string)
					want = append(want, ref)
				}
				got, count, err := events(run, f.filter)
				must(t, err)
				if int(count) != len(want) {
					t.Errorf("%s %v: %d are counted, the query has %d", name, f.given, count, len(want))
				}
				slices.Sort(got) // rows of one moment stand in any order
				slices.Sort(want)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s %v (-query +events)\n%.2000s", name, f.given, diff)
				}
			}
		}
	})
}

// TestWhatCameNext holds events and the query after-refusal to one judgement.
func TestWhatCameNext(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, run conversation.Run) {
		columns, list := saved(t, run, "after-refusal", map[string]any{})
		var want, got []string
		for _, row := range list {
			did, _ := row[columns["did"]].(string)
			want = append(want, fmt.Sprint(row[columns["session"]], row[columns["next"]], row[columns["minutes"]], strings.SplitN(did, ": ", 2)[0]))
		}
		refused, _, err := conversation.Refusals(t.Context(), run, conversation.Filter{DecidedBy: "user"})
		must(t, err)
		for i := range refused {
			r := &refused[i]
			did, minutes := r.After.Tool, any(nil)
			if r.After.Next == conversation.Answered {
				did = cut(r.After.Answer, 160)
			}
			if !r.After.Time.IsZero() && !r.Time.IsZero() && !r.After.Time.Before(r.Time) {
				minutes = float64(r.Took().Round(100*time.Microsecond)) / float64(time.Minute)
				minutes = float64(int(minutes.(float64)*10+0.5)) / 10
			}
			got = append(got, fmt.Sprint(reference(&r.Event), r.After.Next, minutes, strings.SplitN(did, ": ", 2)[0]))
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-query +events)\n%.3000s", diff)
		}
	})
}

var spaces = regexp.MustCompile(`\s+`)

// cut is a text in one line, as queries show it.
func cut(text string, letters int) string {
	line := spaces.ReplaceAllString(text, " ")
	if whole := []rune(line); len(whole) > letters {
		return string(whole[:letters])
	}
	return line
}

// TestWhatACompactionLost holds events and the query before-compaction to the same.
func TestWhatACompactionLost(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, run conversation.Run) {
		columns, list := saved(t, run, "before-compaction", map[string]any{})
		var want, got []string
		for _, row := range list {
			line := ""
			for _, name := range []string{"session", "files", "messages", "calls", "not_named", "you_said_last", "it_said_last"} {
				v := row[columns[name]]
				if v == nil {
					v = ""
				}
				line += fmt.Sprint(v, "|")
			}
			want = append(want, line)
		}
		compacted, _, err := conversation.Compactions(t.Context(), run, conversation.Filter{})
		must(t, err)
		for i := range compacted {
			if c := &compacted[i]; c.Index >= 0 { // others stand nowhere, and the query leaves them out
				names := []rune(strings.Join(c.NotNamed, ", "))
				got = append(got, fmt.Sprint(reference(&c.Event), "|", len(c.NotNamed), "|", c.Messages, "|", c.Calls, "|", string(names[:min(200, len(names))]), "|",
					cut(c.LastPrompt, 160), "|", cut(c.LastAnswer, 160), "|"))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-query +events)\n%.3000s", diff)
		}
	})
}

// TestApprovals: those of the sample are what calls tell.
func TestApprovals(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, run conversation.Run) {
		for _, decision := range []string{"", "granted", "refused"} {
			want := rows(t, run, `SELECT count(*) FROM tool_calls WHERE decided_by = 'user' AND decision IN ('granted', 'refused') AND $d IN ('', decision)
				AND (agent, session_id, tool_use_id) NOT IN (SELECT (agent, session_id, tool_use_id) FROM with_copies.rejections WHERE is_inferred)`, map[string]any{"d": decision})
			list, count, err := conversation.Approvals(t.Context(), run, conversation.Filter{DecidedBy: decision})
			must(t, err)
			if count != want[0][0] || len(list) != int(count) {
				t.Errorf("%s: %d rows and a count of %d, want %v", decision, len(list), count, want[0][0])
			}
		}
	})
}

func TestPagesOfEvents(t *testing.T) {
	t.Parallel()
	run := ofSample(t)
	whole, n, err := conversation.Refusals(t.Context(), run, conversation.Filter{})
	must(t, err)
	var paged []conversation.Refused
	for offset := 0; offset < int(n); offset += 7 {
		list, count, err := conversation.Refusals(t.Context(), run, conversation.Filter{Offset: offset, Top: 7})
		must(t, err)
		if count != n {
			t.Errorf("page at %d counts %d of %d", offset, count, n)
		}
		paged = append(paged, list...)
	}
	if diff := cmp.Diff(whole, paged); diff != "" {
		t.Errorf("pages aren't the whole\n%.2000s", diff)
	}
	list, count, err := conversation.Refusals(t.Context(), run, conversation.Filter{Offset: 1 << 40, Top: 7})
	if err != nil || len(list) != 0 || count != n {
		t.Errorf("beyond the last: %d rows of %d, %v", len(list), count, err)
	}
}

// TestARefusal reads one by hand: D 16 of the sample, with what is known to have gone
// down with it: the other call, which got no result, is only inferred.
func TestARefusal(t *testing.T) {
	t.Parallel()
	run := ofSample(t)
	list, _, err := conversation.Refusals(t.Context(), run, conversation.Filter{Agent: "claude", Session: "8baf56d4-1ddb-46c3-a479-c66969c6b652", Kind: "command", DecidedBy: "user"})
	must(t, err)
	if len(list) != 1 {
		t.Fatalf("%d refused commands in D, want 1", len(list))
	}
	r := list[0]
	if r.ProjectName != "shop-api" || !strings.HasPrefix(r.Command, "psql ") || !strings.Contains(r.Reason, "staging") || r.After.Next != conversation.SameTool || len(r.With) != 1 || r.Place >= r.Index {
		t.Errorf("%+v", r)
	}
	same, count, err := conversation.Refusals(t.Context(), run, conversation.Filter{Agent: r.Agent, Session: r.Session, Call: r.ToolUse})
	must(t, err)
	if diff := cmp.Diff(list, same); diff != "" || count != 1 {
		t.Errorf("by its call it is another: %d\n%s", count, diff)
	}
	gone, _, err := conversation.Refusals(t.Context(), run, conversation.Filter{Agent: r.Agent, Session: r.Session, Call: r.With[0].ToolUse})
	must(t, err)
	if len(gone) != 1 || !gone[0].Cascaded || gone[0].Cause != r.ToolUse {
		t.Errorf("what went down with it: %+v", gone)
	}
	for text, want := range map[string]int{"STAGING, use make": 0, "that is STAGING": 1, "\x00": 0, "100%": 0, "' OR 1=1": 0} {
		found, count, err := conversation.Refusals(t.Context(), run, conversation.Filter{Text: text})
		if err != nil || len(found) != want || int(count) != want {
			t.Errorf("%q: %d of %d, want %d, %v", text, len(found), count, want, err)
		}
	}
}
