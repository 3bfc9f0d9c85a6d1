package conversation_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/whole"
	"hindsql/queries/conversation"
)

// TestWindowsAreTheWhole checks that a session's windows, joined, have the pieces of
// the whole session.
func TestWindowsAreTheWhole(t *testing.T) {
	whole.Test(t, "reads every window of every session, 3.4 s of processor time")
	t.Parallel()
	onBoth(t, func(t *testing.T, run conversation.Run) {
		sizes := []int64{3, 40, 1000}
		for i, s := range rows(t, run, "SELECT agent, session_id FROM sessions ORDER BY message_count DESC, session_id LIMIT 12", nil) {
			agent, id := s[0].(string), s[1].(string)
			full, err := conversation.Read(t.Context(), run, agent, id)
			must(t, err)
			size, windows := max(sizes[i%len(sizes)], full.Last()/4), *full
			windows.Pieces = nil
			for from, more := int64(0), true; more; {
				w, err := conversation.ReadWindow(t.Context(), run, agent, id, from, size)
				must(t, err)
				for _, p := range w.Pieces {
					if p.Index >= 0 && (p.Index >= w.To || p.Index < w.From && w.HasBefore()) {
						t.Errorf("%s: a piece of message %d in %d…%d", id, p.Index, w.From, w.To)
					}
				}
				windows.Pieces = append(windows.Pieces, w.Pieces...)
				from, more = w.To, w.HasAfter()
			}
			if diff := cmp.Diff(full, &windows); diff != "" {
				t.Errorf("%s in windows of %d (-whole +windows)\n%.1500s", id, size, diff)
			}
		}
	})
}

func TestWindowsBeyondTheSession(t *testing.T) {
	t.Parallel()
	run := ofSample(t)
	s := rows(t, run, "SELECT agent, session_id, max(message_index) FROM messages GROUP BY ALL ORDER BY ALL LIMIT 1", nil)[0]
	for _, at := range [][2]int64{{-5, 2}, {1 << 62, 1 << 62}, {0, -3}, {3, 1 << 62}} {
		w, err := conversation.ReadWindow(t.Context(), run, s[0].(string), s[1].(string), at[0], at[1])
		must(t, err)
		if len(w.Pieces) == 0 || w.From < 0 || w.From > w.Last || w.Last != s[2] || w.To <= w.From {
			t.Errorf("from %d, %d messages: %d pieces of %d…%d, the last is %d", at[0], at[1], len(w.Pieces), w.From, w.To, w.Last)
		}
	}
	if _, err := conversation.ReadWindow(t.Context(), run, "claude", "no such session", 0, 10); err == nil {
		t.Error("a session that isn't there was read")
	}
}

// TestOutline compares a session's marks with its pieces.
func TestOutline(t *testing.T) {
	whole.Test(t, "reads every window of every session, 1.3 s of processor time")
	t.Parallel()
	onBoth(t, func(t *testing.T, run conversation.Run) {
		for _, s := range rows(t, run, "SELECT agent, session_id FROM sessions ORDER BY rejection_count DESC, message_count DESC, session_id LIMIT 10", nil) {
			agent, id := s[0].(string), s[1].(string)
			full, err := conversation.Read(t.Context(), run, agent, id)
			must(t, err)
			marks, err := conversation.Outline(t.Context(), run, agent, id)
			must(t, err)
			for kind, is := range map[conversation.MarkKind]func(*conversation.Piece) bool{
				conversation.MarkRefused:    func(p *conversation.Piece) bool { return p.Call != nil && p.Call.Refusal.ByUser() },
				conversation.MarkPrompt:     func(p *conversation.Piece) bool { return p.Who == "you" && p.Kind != conversation.Stop },
				conversation.MarkStop:       func(p *conversation.Piece) bool { return p.Kind == conversation.Stop && p.Index >= 0 },
				conversation.MarkCompaction: func(p *conversation.Piece) bool { return p.Kind == conversation.Compaction && p.Index >= 0 },
			} {
				var want, got []int64
				for i := range full.Pieces {
					if p := &full.Pieces[i]; is(p) {
						want = append(want, p.Index)
					}
				}
				for _, m := range marks {
					if slices.Contains(m.Kinds, kind) {
						got = append(got, m.Index)
					}
				}
				want = slices.Compact(want)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s %s: (-pieces +marks)\n%.800s", id, kind, diff)
				}
			}
		}
	})
}

func TestFindIn(t *testing.T) {
	t.Parallel()
	run := ofSample(t)
	const id = "8baf56d4-1ddb-46c3-a479-c66969c6b652" // D
	full, err := conversation.Read(t.Context(), run, "claude", id)
	must(t, err)
	for _, sought := range []string{"STAGING", "psql \"$DATABASE_URL\"", "no such text", "", "100%", "\x00"} {
		found, err := conversation.FindIn(t.Context(), run, "claude", id, sought)
		must(t, err)
		if wanted := sought == "STAGING" || sought[:min(1, len(sought))] == "p"; wanted != (len(found) > 0) {
			t.Errorf("%q stands in %d messages", sought, len(found))
		}
		for _, at := range found {
			if !slices.ContainsFunc(full.Pieces, func(p conversation.Piece) bool { return p.Index == at }) {
				t.Errorf("%q is found in message %d, of which nothing is shown", sought, at)
			}
		}
	}
}
