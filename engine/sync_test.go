package engine_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/internal/posix"
	"hindsql/internal/whole"
)

func wantReport(t *testing.T, got engine.SyncReport, want engine.SyncReport) {
	t.Helper()
	if got.Elapsed <= 0 {
		t.Error("a sync took no time")
	}
	want.Elapsed, want.Bytes = got.Elapsed, got.Bytes
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got)\n%s", diff)
	}
}

func TestFilesComeGrowAndAreReplaced(t *testing.T) {
	whole.Test(t, "loads several stores, 1.4 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""), line(2, ""))
	h.Write("b.jsonl", line(3, ""))
	wantReport(t, h.Sync(), engine.SyncReport{Found: 2, Loaded: 2})
	wantReport(t, h.Sync(), engine.SyncReport{Found: 2, Unchanged: 2})
	h.Append("a.jsonl", line(4, ""))
	wantReport(t, h.Sync(), engine.SyncReport{Found: 2, Loaded: 1, Unchanged: 1})
	h.Want("SELECT text FROM messages ORDER BY 1", "text 1", "text 2", "text 3", "text 4")
	h.Want("SELECT session_id, message_count FROM sessions ORDER BY 1", "a|3", "b|1")
	h.Write("a.jsonl", line(5, ""))
	h.Write("c.jsonl", line(6, ""), "{broken\n")
	wantReport(t, h.Sync(), engine.SyncReport{Found: 3, Loaded: 2, Unchanged: 1, Problems: 1})
	h.Want("SELECT text FROM messages ORDER BY 1", "text 3", "text 5", "text 6")
	wantReport(t, h.SyncWith(true), engine.SyncReport{Found: 3, Loaded: 3, Problems: 1})
	h.LikeClean()
}

func TestRowsOfVanishedFilesStay(t *testing.T) {
	whole.Test(t, "loads several stores, 1.9 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Write("b.jsonl", line(2, ""))
	h.Sync()
	before := h.Dump()
	gone := func() {
		h.T.Helper()
		h.Want("SELECT path LIKE '%b.jsonl' FROM sources WHERE gone_at IS NOT NULL", "true")
	}
	text, err := os.ReadFile(h.Path("b.jsonl"))
	must(t, err)
	info, err := os.Stat(h.Path("b.jsonl"))
	must(t, err)

	h.Remove("b.jsonl")
	wantReport(t, h.Sync(), engine.SyncReport{Found: 1, Unchanged: 1, Gone: 1})
	wantReport(t, h.Sync(), engine.SyncReport{Found: 1, Unchanged: 1})
	gone()
	h.Want("SELECT text FROM messages ORDER BY 1", "text 1", "text 2")
	wantReport(t, h.SyncWith(true), engine.SyncReport{Found: 1, Loaded: 1})
	gone()
	h.Want("SELECT text FROM messages ORDER BY 1", "text 1", "text 2")

	must(t, os.WriteFile(h.Path("b.jsonl"), text, 0o644))
	must(t, os.Chtimes(h.Path("b.jsonl"), info.ModTime(), info.ModTime()))
	wantReport(t, h.Sync(), engine.SyncReport{Found: 2, Unchanged: 2})
	h.WantSame(before)

	h.Remove("b.jsonl")
	wantReport(t, h.SyncWith(true), engine.SyncReport{Found: 1, Loaded: 1, Gone: 1})
	gone()
	files, rows, err := h.Open().Prune(context.Background(), "")
	must(t, err)
	if files != 1 || rows != 5 { // session, its own name, message, source and kind
		t.Errorf("pruned %d files and %d rows", files, rows)
	}
	h.LikeClean()
	files, rows, err = h.Open().Prune(context.Background(), "")
	if files != 0 || rows != 0 || err != nil {
		t.Errorf("a second prune: %d files, %d rows, %v", files, rows, err)
	}
}

// TestVanishesWhileItIsRead: a changed log is deleted between the search and the
// reading. Its rows of an earlier sync stay.
func TestVanishesWhileItIsRead(t *testing.T) {
	whole.Test(t, "loads several stores, 0.5 s of processor time")
	posix.Only(t, "its search asks for the name another number of times")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Write("b.jsonl", line(2, ""))
	h.Sync()
	h.Append("b.jsonl", line(3, ""))
	calls := 0
	h.Reader.IsLog = func(rel string) bool {
		if rel == "logs/b.jsonl" {
			if calls++; calls == 2 { // at the second call the search already has the file's size
				h.Remove("b.jsonl")
			}
		}
		return strings.HasSuffix(rel, ".jsonl")
	}
	wantReport(t, h.Sync(), engine.SyncReport{Found: 2, Unchanged: 1})
	h.Want("SELECT text FROM messages ORDER BY 1", "text 1", "text 2")
	h.Want("SELECT count(*) FROM problems", "0")
	h.Sync()
	h.Want("SELECT count(*) FROM sources WHERE gone_at IS NOT NULL", "1")
}

func TestRename(t *testing.T) {
	whole.Test(t, "loads several stores, 1.0 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"s"}`+"\n", line(1, `,"tokens":5`))
	h.Sync()
	must(t, os.Rename(h.Path("a.jsonl"), h.Path("b.jsonl")))
	wantReport(t, h.Sync(), engine.SyncReport{Found: 1, Loaded: 1, Moved: 1})
	h.Want("SELECT session_id, path LIKE '%b.jsonl', output_tokens FROM sessions JOIN sources USING (source_id)", "s|true|5")
	wantLikeClean(t, h)
}

// TestOneSessionIdInSeveralFiles: of equally long conversations, the oldest existing file's
// has the id. The ids equal those of a clean load, in any order of loading, and after files
// came and went.
func TestOneSessionIdInSeveralFiles(t *testing.T) {
	whole.Test(t, "loads anew after each file, in three orders")
	t.Parallel()
	content := map[string]string{}
	for i, name := range []string{"p/s.jsonl", "q/s.jsonl", "r/s.jsonl"} {
		content[name] = line(i, `,"call":"c"`) + line(10+i, `,"refused":"c"`) + line(20, `,"tokens":7`)
	}
	for _, order := range [][]string{{"p", "q", "r"}, {"r", "q", "p"}, {"q", "r", "p"}} {
		h := newHome(t)
		for _, p := range order {
			h.Write(p+"/s.jsonl", content[p+"/s.jsonl"])
			h.Sync()
			h.LikeClean()
		}
		h.Want("SELECT count(*), count(DISTINCT session_id), count(native_id) FROM sessions", "3|3|2")
		const holder = "SELECT parse_path(path)[-2] FROM sessions JOIN sources USING (source_id) WHERE session_id = 's'"
		h.Want(holder, order[0])
		h.Want("SELECT count(*) FROM messages ANTI JOIN sessions USING (agent, session_id, source_id)", "0")
		h.Want("SELECT sum(output_tokens) FROM messages", "7")
		h.Remove(order[0] + "/s.jsonl")
		h.Sync()
		h.Want(holder, order[1])
		h.SyncWith(true)
		h.Want(holder, order[1])
		_, _, err := h.Open().Prune(context.Background(), "")
		must(t, err)
		h.LikeClean()
	}
}

// long is an API message id, told from a gateway's counter by its length.
func long(n int) string { return fmt.Sprintf(`,"message_id":"msg_%020d","tokens":%d`, n, n) }

func TestCopiesAcrossFiles(t *testing.T) {
	whole.Test(t, "loads anew after each change of a copy")
	t.Parallel()
	h := newHome(t)
	h.Write("new.jsonl", line(1, ""), line(2, long(2)), line(3, ""), line(50, long(50)))
	h.Write("old.jsonl", line(1, ""), line(2, long(2)), line(3, ""), line(4, long(4)))
	copies := "SELECT session_id, list(message_index ORDER BY message_index) FROM with_copies.messages WHERE is_copy GROUP BY ALL ORDER BY 1"
	h.Sync()
	h.Want(copies, "new|[0 1 2]") // of two equal sessions, the first to end is the older
	h.Want("SELECT session_id, forked_from, output_tokens FROM sessions ORDER BY 1", "new|old|50", "old|NULL|6")
	h.Write("old.jsonl", `{"id":"u0","at":"2025-12-31T00:00:00Z","text":"first"}`+"\n", line(1, ""), line(2, long(2)))
	h.Sync()
	h.Want(copies, "new|[0 1]")
	h.Want("SELECT session_id, forked_from FROM sessions ORDER BY 1", "new|old", "old|NULL")
	h.LikeClean()
	h.Write("old.jsonl", line(40, ""))
	h.Sync()
	h.Want(copies)
	h.LikeClean()
	h.Write("old.jsonl", `{"id":"u0","at":"2025-12-31T00:00:00Z","text":"first"}`+"\n", line(2, long(2)))
	h.Sync()
	h.Want(copies, "new|[1]")
	h.Remove("old.jsonl")
	h.Sync()
	h.Want(copies, "new|[1]")
	_, _, err := h.Open().Prune(context.Background(), "")
	must(t, err)
	h.Want(copies)
	h.Want("SELECT forked_from, output_tokens FROM sessions", "NULL|52")
	h.LikeClean()
}

// TestOneUUIDForOtherWords: a message with other words is no copy, even with the same
// uuid. The result of an original call is no copy either.
func TestOneUUIDForOtherWords(t *testing.T) {
	whole.Test(t, "loads anew, for what cases of the link steps show")
	t.Parallel()
	h := newHome(t)
	other := func(n int, text, more string) string {
		return fmt.Sprintf(`{"id":"u%d","at":"2026-01-01T00:00:%02dZ","text":%q%s}`+"\n", n, n, text, more)
	}
	h.Write("a.jsonl", line(1, ""), line(2, `,"tokens":5`), line(3, ""))
	h.Write("b.jsonl", other(1, "another", ""), other(2, "answer", `,"tokens":7`), other(3, "prompt", ""))
	h.Write("c.jsonl", other(1, "another", ""), other(2, "answer", `,"tokens":7`), other(4, "and on", ""))
	h.Sync()
	h.Want("SELECT session_id, list(message_index ORDER BY message_index) FROM with_copies.messages WHERE is_copy GROUP BY ALL", "c|[0 1]")
	h.Want("SELECT session_id, forked_from, output_tokens FROM sessions ORDER BY 1", "a|NULL|5", "b|NULL|7", "c|b|0")
	h.Remove("a.jsonl")
	h.Sync()
	h.Write("a.jsonl", other(1, "another", ""))
	h.Sync()
	h.LikeClean()
}

// TestBackgroundIsTheCopy: of two sessions with the same beginning, the background
// session is the copy, even if longer.
func TestBackgroundIsTheCopy(t *testing.T) {
	whole.Test(t, "loads several stores, 0.6 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("bg.jsonl", `{"session":"bg","extra":"{\"session_kind\":\"bg\"}"}`+"\n", line(1, ""), line(2, long(2)))
	h.Write("on.jsonl", line(1, ""), line(2, long(2)), line(3, ""))
	h.Sync()
	h.Want("SELECT session_id, forked_from FROM sessions ORDER BY 1", "bg|on", "on|NULL")
	h.LikeClean()
}

// TestCopiesOfCopies: file 3 changes. File 1 shares no message with file 3, but shares
// one with file 2, and file 2 shares one with file 3. The copy marks stay right.
func TestCopiesOfCopies(t *testing.T) {
	whole.Test(t, "loads anew after each change of a copy")
	t.Parallel()
	h := newHome(t)
	h.Write("1.jsonl", line(1, long(1)), line(2, long(2)))
	h.Write("2.jsonl", line(2, long(2)), line(3, long(3)), line(4, long(4)))
	h.Sync()
	h.Want("SELECT session_id, message_index FROM with_copies.messages WHERE is_copy", "2|0")
	h.Write("3.jsonl", line(4, long(4)), line(5, long(5)))
	h.Sync()
	h.Want("SELECT session_id, message_index FROM with_copies.messages WHERE is_copy ORDER BY 1", "2|0", "3|0")
	h.LikeClean()
	h.Append("3.jsonl", line(6, ""))
	h.Sync()
	h.Want("SELECT sum(output_tokens) FROM messages", "15")
	h.LikeClean()
}

func TestClearsLinkSessions(t *testing.T) {
	whole.Test(t, "loads several stores, 0.8 s of processor time")
	t.Parallel()
	h := newHome(t)
	mark := `{"cleared":"a","next":"b","id":"c1","at":"2026-01-01T00:00:09Z"}` + "\n"
	h.Write("b.jsonl", mark, line(10, ""))
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	h.Want("SELECT session_id, next_session_id, after_message_index FROM clears", "a|b|0")
	h.Want("SELECT session_id, previous_session_id FROM sessions ORDER BY 1", "a|NULL", "b|a")
	h.Write("b.jsonl", line(10, ""))
	h.Sync()
	h.Want("SELECT count(*) FROM clears", "0")
	h.LikeClean()
}
