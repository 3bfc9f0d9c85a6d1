package engine_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	forgets "hindsql/engine/forget"
	"hindsql/engine/prune"
	"hindsql/internal/posix"
	"hindsql/internal/whole"
)

// said returns a toy message.
func said(id, text, more string) string {
	return fmt.Sprintf(`{"id":"%s-0000-4000-8000-000000000000","at":"2026-01-01T00:00:%02d.5Z","text":"%s"%s}`+"\n", id, len(text), text, more)
}

// secrets has a session, its subagent, the subagent's subagent, whose log is read
// first, a fork that went on, a fork that did not, a history, and another session. All
// texts with SECRET are the session's.
func secrets(t *testing.T) *enginetest.Home {
	h := newHome(t)
	one, two := said("1", "SECRET one", ""), said("2", "SECRET two", `,"tokens":5,"call":"c1","started":"child"`)
	h.Write("secret.jsonl", `{"session":"secret","project":"/SECRET"}`+"\n", said("0", "SECRET", ""), one, two)
	h.Write("child.jsonl", `{"session":"child","kind":"subagent"}`+"\n", said("3", "SECRET three", ""))
	h.Write("a-grand.jsonl", `{"session":"grand","kind":"subagent","parent":"child"}`+"\n", said("4", "SECRET four", ""))
	h.Write("fork.jsonl", `{"session":"fork","project":"/p"}`+"\n", one, two, said("5", "went on", ""))
	h.Write("echo.jsonl", `{"session":"echo","project":"/p"}`+"\n", one, two)
	h.Write("other.jsonl", `{"session":"other","project":"/p"}`+"\n", said("6", "other", ""))
	h.Write("history.jsonl", `{"shared":"prompt","of":"secret","text":"SECRET typed"}`+"\n", `{"shared":"prompt","of":"other","text":"typed"}`+"\n",
		`{"shared":"title","of":"secret","text":"SECRET title"}`+"\n", `{"shared":"clear","of":"secret","project":"/SECRET","at":"2026-01-01T00:00:00Z"}`+"\n",
		`{"shared":"prompt","text":"SECRET one","at":"2026-01-01T00:00:11Z"}`+"\n")
	h.Sync()
	h.Want("SELECT count(*) FROM messages WHERE text LIKE 'SECRET%'", "5")
	return h
}

func forget(t *testing.T, h *enginetest.Home, ids ...string) {
	t.Helper()
	var names []forgets.Name
	for _, id := range ids {
		names = append(names, forgets.Name{Agent: "toy", SessionID: id})
	}
	must(t, prune.Forget(context.Background(), h.Open().Store, names))
	h.Sync()
}

// wantForgotten asserts that no table and no byte of the store has anything secret.
func wantForgotten(t *testing.T, h *enginetest.Home, texts ...string) {
	t.Helper()
	h.Want("SELECT text FROM with_copies.messages ORDER BY ALL", texts...)
	h.Want("SELECT text FROM prompts", "typed")
	for table, rows := range h.Dump() {
		for _, row := range rows {
			if strings.Contains(row, "SECRET") || table != "forgotten_logs" && (strings.Contains(row, "secret") || strings.Contains(row, "child") || strings.Contains(row, "grand")) {
				t.Errorf("%s has %s", table, row)
			}
		}
	}
	file, err := os.ReadFile(h.Store)
	must(t, err)
	if strings.Contains(string(file), "SECRET") {
		t.Error("the store's file has a forgotten text")
	}
	posix.Mode(t, h.Store+".forgotten", 0o600)
}

func TestForgottenSessionsStayOut(t *testing.T) {
	whole.Test(t, "syncs ten times, 2.2 s of processor time")
	t.Parallel()
	h := secrets(t)
	forget(t, h, "secret")
	wantForgotten(t, h, "other", "went on")
	wantReport(t, h.Sync(), engine.SyncReport{Found: 7, Unchanged: 7})

	// The log grows, starts a subagent, and is forked from; the fork is read first.
	grown := said("7", "SECRET grown", "")
	h.Append("secret.jsonl", grown)
	h.Write("aa-fork.jsonl", `{"session":"aa-fork","forked":"secret"}`+"\n", grown, said("8", "went on, too", ""))
	h.Write("a-late.jsonl", `{"session":"a-late","kind":"subagent","parent":"late"}`+"\n", said("9", "SECRET late", ""))
	h.Write("late.jsonl", `{"session":"late","kind":"subagent","parent":"child"}`+"\n", said("a", "SECRET latest", ""))
	wantReport(t, h.Sync(), engine.SyncReport{Found: 10, Loaded: 4, Unchanged: 6})
	wantForgotten(t, h, "other", "went on", "went on, too")
	wantReport(t, h.Sync(), engine.SyncReport{Found: 10, Unchanged: 10})

	h.SyncWith(true)
	wantForgotten(t, h, "other", "went on", "went on, too")

	h.Remove("fork.jsonl")
	h.Remove("secret.jsonl")
	h.Sync()
	h.Tamper("UPDATE store_info SET schema_hash = 'older'")
	h.Sync()
	wantForgotten(t, h, "other", "went on", "went on, too")

	must(t, os.Remove(h.Store))
	h.Sync()
	wantForgotten(t, h, "other", "went on, too")
}

func TestForgottenSessionsComeBack(t *testing.T) {
	whole.Test(t, "syncs four times, 1.8 s of processor time")
	t.Parallel()
	h := secrets(t)
	before := h.Dump()
	forget(t, h, "secret", "other")
	s := h.Open()
	list, err := forgets.Read(s.Store.File())
	must(t, err)
	if all := list.Sessions; len(all) != 2 || all[0].SessionID != "other" || all[1].SessionID != "secret" || len(all[1].Subagents) != 2 {
		t.Fatalf("%+v", list)
	}
	if _, err := prune.Remember(context.Background(), s.Store, "x"); err == nil || !strings.Contains(err.Error(), "hindsql sources --forgotten") {
		t.Errorf("remembered nothing: %v", err)
	}
	_, err = prune.Remember(context.Background(), s.Store, "sec")
	must(t, err)
	h.Sync()
	h.Want("SELECT session_id FROM sessions ORDER BY ALL", "child", "echo", "fork", "grand", "history", "secret")
	_, err = prune.Remember(context.Background(), s.Store, "other")
	must(t, err)
	h.Sync()
	if _, err := os.Stat(h.Store + ".forgotten"); !os.IsNotExist(err) {
		t.Errorf("an empty list has a file: %v", err)
	}
	h.WantSame(before)
	wantReport(t, h.Sync(), engine.SyncReport{Found: 7, Unchanged: 7})
}

// TestOpenSessionsForget: sessions that were open before, safe ones, too, see no row and
// no line of a forgotten session.
func TestOpenSessionsForget(t *testing.T) {
	whole.Test(t, "loads several stores, 1.1 s of processor time")
	t.Parallel()
	h := secrets(t)
	mine, safe := h.Open(), enginetest.Open(t, enginetest.Safely(h.Config(), engine.Safe{}))
	const sources = "SELECT source_id FROM sources WHERE path LIKE '%fork.jsonl' OR path LIKE '%secret.jsonl'"
	ids := enginetest.Rows(t, mine, sources)
	want := func(lines, texts string) {
		t.Helper()
		for _, s := range []enginetest.Face{mine, safe} {
			if got := enginetest.Rows(t, s, "SELECT count(raw(unnest, 3)) FROM unnest(["+strings.Join(ids, ", ")+"])"); got[0] != lines {
				t.Errorf("%s lines, want %s", got[0], lines)
			}
			if got := enginetest.Rows(t, s, "SELECT count(*) FROM with_copies.messages WHERE text LIKE '%SECRET%'"); got[0] != texts {
				t.Errorf("%s texts, want %s", got[0], texts)
			}
		}
	}
	want("2", "9")
	forget(t, h, "secret")
	want("0", "0")
}

func TestUnreadableListLoadsNothing(t *testing.T) {
	t.Parallel()
	h := secrets(t)
	forget(t, h, "secret")
	list := h.Store + ".forgotten"
	good, err := os.ReadFile(list)
	must(t, err)
	h.Append("secret.jsonl", said("7", "SECRET grown", ""))
	for _, text := range []string{"", "{", `{"format":2}`, string(good[:len(good)-20]), strings.Replace(string(good), `"keys": "`, `"keys": "!`, 1), strings.Replace(string(good), `"session_id": "secret"`, `"session_id": ""`, 1)} {
		must(t, os.WriteFile(list, []byte(text), 0o600))
		for _, full := range []bool{false, true} {
			_, err := h.Open().Sync(context.Background(), engine.SyncOptions{Full: full})
			if err == nil || !strings.Contains(err.Error(), ".forgotten: the list of forgotten sessions can't be read, and nothing is loaded until it can") {
				t.Errorf("with a list %.20q: %v", text, err)
			}
		}
	}
	must(t, os.WriteFile(list, good, 0o600))
	h.Sync()
	wantForgotten(t, h, "other", "went on")
}

func TestPruneChooses(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for i, name := range []string{"a", "b", "c"} {
		h.Write(name+".jsonl", fmt.Sprintf(`{"session":"%s","project":"/p/%d"}`+"\n", name, i%2), line(3*i, ""), line(3*i+1, ""))
	}
	h.Write("two.jsonl", `{"session":"d","project":"/p/0"}`+"\n", line(20, ""), `{"session":"e","project":"/p/1"}`+"\n", line(30, ""))
	h.Write("history.jsonl", `{"shared":"prompt","of":"old","text":"typed"}`+"\n")
	h.Sync()
	for _, name := range []string{"a", "b", "two"} {
		h.Remove(name + ".jsonl")
	}
	h.Sync()
	look := func(f prune.Filter, sessions string, rows, present int) {
		t.Helper()
		s := h.Open()
		p, err := prune.Look(context.Background(), s.Session, &f)
		must(t, err)
		var ids []string
		for _, n := range p.Sessions {
			ids = append(ids, n.SessionID)
		}
		if got := strings.Join(ids, " "); got != sessions || p.Rows() != int64(rows) || p.Present != present {
			t.Errorf("%+v: %s, %d rows (%v), %d present; want %s, %d, %d", f, got, p.Rows(), p.Tables, p.Present, sessions, rows, present)
		}
	}
	look(prune.Filter{}, "a b d e", 4+6+3, 0)
	look(prune.Filter{Project: "/p/0"}, "a d", 2+3, 1)
	look(prune.Filter{Project: "1"}, "b e", 2+3, 0)
	look(prune.Filter{Agent: "none"}, "", 0, 0)
	look(prune.Filter{Session: "c"}, "", 0, 1)
	look(prune.Filter{Session: "c", Forgets: true}, "c", 1+2, 0)
	look(prune.Filter{Session: "old", Forgets: true}, "old", 1, 0)
	look(prune.Filter{Before: time.Date(2026, 1, 1, 0, 0, 4, 0, time.UTC)}, "a", 1+2, 0)

	files, _, err := prune.Run(context.Background(), h.Open().Store, prune.Filter{Project: "/p/0"})
	must(t, err)
	h.Want("SELECT session_id FROM sessions WHERE session_id <> 'history' ORDER BY ALL", "b", "c", "e")
	h.Want("SELECT text FROM messages WHERE session_id = 'e'", "text 30")
	if files != 1 {
		t.Errorf("dropped %d files, want 1", files)
	}
	forget(t, h, "old", "e")
	h.Want("SELECT count(*) FROM prompts", "0")
	h.Want("SELECT session_id FROM sessions WHERE session_id <> 'history' ORDER BY ALL", "b", "c")
}
