package fleet_test

import (
	"path/filepath"
	"slices"
	"testing"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/sqltext"
	"hindsql/internal/whole"
)

// TestPullOfAnOlderLanding: an older build pushed no prompt_index, which is then null.
func TestPullOfAnOlderLanding(t *testing.T) {
	whole.Test(t, "loads several stores, 1.1 s of processor time")
	t.Parallel()
	f := newFleet(t)
	p, here := f.machine("m1"), f.machine("m2")
	p.Write("a.jsonl", enginetest.Guessed()...)
	p.push()
	f.forge("m1", "interruptions", "SELECT * EXCLUDE (prompt_index) FROM {file}")
	here.pull()
	got := here.rows(`SELECT (SELECT count(*) FROM with_copies.rejections), (SELECT count(*) FROM rejections), (SELECT count(*) FROM with_copies.interruptions),
		(SELECT count(*) FROM interruptions), (SELECT count(prompt_index) FROM with_copies.interruptions), (SELECT sum(rejection_count)::BIGINT FROM sessions)`)
	if !slices.Equal(got, []string{"5|2|5|2|0|2"}) {
		t.Errorf("%v", got)
	}
}

// TestOlderBuildsReadANewerLanding: a build that doesn't know is_inferred finds all its
// own columns in the files, and treats inferred rows like all others.
func TestOlderBuildsReadANewerLanding(t *testing.T) {
	whole.Test(t, "pulls again and again, 0.6 s of processor time")
	t.Parallel()
	f := newFleet(t)
	p := f.machine("m1")
	p.Write("a.jsonl", enginetest.Guessed()...)
	p.push()
	files := sqltext.Literal(filepath.Join(f.dir, filepath.FromSlash(landing.Root), "m1", "rejections", "*.parquet"))
	got := rows(t, plainFace(t), "SELECT count(*), count(evidence), count(confidence), count(tool_use_id), count(message_index), count(*) FILTER (is_inferred) FROM read_parquet("+files+")")
	if !slices.Equal(got, []string{"5|5|5|5|5|3"}) {
		t.Errorf("%v", got)
	}
}

// plainFace returns a store without logs.
func plainFace(t *testing.T) face {
	s := open(t, engine.Config{Store: filepath.Join(t.TempDir(), "x.duckdb"), Timezone: "UTC"})
	t.Cleanup(func() { s.Close() })
	return s
}
