package fleet_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/pull"
	"hindsql/engine/fleet/push"
	"hindsql/engine/redact"
	"hindsql/internal/whole"
	"hindsql/readers/sample"
)

// TestPromptsOnTwoMachines: a prompt in the histories of two machines counts once, for
// example after a home was copied. The test covers pushes with and without texts.
func TestPromptsOnTwoMachines(t *testing.T) {
	whole.Test(t, "loads the sample on two machines")
	t.Parallel()
	const moments = "SELECT count(*), count(DISTINCT (agent, session_id, timestamp)) FROM prompts WHERE timestamp IS NOT NULL"
	ctx := context.Background()
	for _, texts := range []string{landing.Plain, landing.NoText} {
		f := newFleet(t)
		target, err := f.target()
		must(t, err)
		s := open(t, sampleHome(t))
		_, err = push.Run(ctx, s.Session, push.Options{Target: target, State: t.TempDir(), Texts: texts, Users: push.UserPlain, Redact: redact.New()})
		must(t, err)
		home, err := sample.Write(filepath.Join(t.TempDir(), "home"))
		must(t, err)
		c := realConfig(home, filepath.Join(t.TempDir(), "h.duckdb"))
		c.Machine = "m2"
		s = open(t, c)
		_, err = s.Sync(ctx, engine.SyncOptions{})
		must(t, err)
		want := rows(t, s, moments)
		_, err = pull.Run(ctx, s.Session, pull.Options{Target: target})
		must(t, err)
		if got := rows(t, s, moments); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", texts, got, want)
		}
		if got := rows(t, s, "SELECT DISTINCT machine FROM prompts WHERE timestamp IS NOT NULL"); !slices.Equal(got, []string{"m2"}) {
			t.Errorf("%s: they are of %v", texts, got)
		}
		if got := rows(t, s, "SELECT count(*) FILTER (is_copy) = count(*) FILTER (machine = 'here'), count(*) FILTER (is_copy) > 10 FROM with_copies.prompts WHERE timestamp IS NOT NULL"); got[0] != "true|true" {
			t.Errorf("%s: copies: %v", texts, got)
		}
	}
}
