package fleet_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/pull"
	"hindsql/engine/fleet/push"
	"hindsql/internal/whole"
)

// pushAgain appends to a log, and pushes.
func pushAgain(c child, a *answer) error {
	logs, dir := c.Logs[:len(c.Logs)-1], c.Logs[len(c.Logs)-1]
	if err := appendFile(logs[a.Rounds%len(logs)], bigLine(os.Getpid()*1000+a.Rounds, 200)); err != nil {
		return err
	}
	return c.Session(func(ctx context.Context, s face) error { return pushTree(ctx, s, c.Store, dir) })
}

// pushTree pushes the rows of a store's machine.
func pushTree(ctx context.Context, s face, store, dir string) error {
	if _, err := s.Sync(ctx, engine.SyncOptions{}); err != nil {
		return err
	}
	target, err := landing.Open(dir, landing.Options{})
	if err != nil {
		return err
	}
	_, err = push.Run(ctx, s.Session, push.Options{Target: target, State: store + ".pushes", Texts: landing.Plain, Users: push.UserPlain})
	return err
}

// TestPushKilled: after each kill, either a manifest names only whole files, or no
// manifest exists. The push after the last kill lands all rows of the store.
// $HINDSQL_KILLS is the number of kills.
func TestPushKilled(t *testing.T) {
	whole.Test(t, "kills processes")
	t.Parallel()
	kills := 4
	if n, err := strconv.Atoi(os.Getenv("HINDSQL_KILLS")); err == nil {
		kills = n
	}
	f, tree := newFleet(t), makeTree(t, 1)
	store := filepath.Join(t.TempDir(), "h.duckdb")
	c := realConfig(tree, store)
	logs := append(transcripts(t, tree), f.dir)
	k := newKiller(t, child{Mode: "push", Home: tree, Store: store, Logs: logs}, 1)
	begin := time.Now()
	generations := map[int64]bool{}
	for i := range kills {
		cmd, wait := k.Child.Start(t)
		time.Sleep(time.Duration(i%10)*k.Step/10 + rand.N(k.Step/10))
		must(t, cmd.Process.Kill())
		wait()
		generations[f.wantWhole(c.Hostname).Generation] = true
	}
	t.Logf("%d kills in %s left %d manifests", kills, time.Since(begin).Round(time.Second), len(generations))
	wantPushed(t, f, c)
}

// wantPushed pushes once more, and checks that another machine pulls all rows.
func wantPushed(t *testing.T, f *fleet, c engine.Config) {
	t.Helper()
	s := open(t, c)
	must(t, pushTree(context.Background(), s, c.Store, f.dir))
	f.wantWhole(c.Hostname)
	p := f.machine("puller")
	target := p.options().Target
	there := p.open()
	_, err := there.Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	_, err = pull.Run(context.Background(), there.Session, pull.Options{Target: target})
	must(t, err)
	for _, table := range []string{"sessions", "messages", "tool_calls", "rejections", "interruptions", "compactions", "prompts"} {
		query := fmt.Sprintf("SELECT count(*) FROM with_copies.%s UNION ALL SELECT count(*) FROM %[1]s", table)
		if table == "sessions" || table == "prompts" {
			query = "SELECT count(*) FROM " + table
		}
		if got, want := rows(t, there, query), rows(t, s, query); !slices.Equal(got, want) {
			t.Errorf("%s: %v rows were pulled, of %v", table, got, want)
		}
	}
}

// TestTwoPushesAtOnce: one machine's simultaneous pushes run in turn.
func TestTwoPushesAtOnce(t *testing.T) {
	whole.Test(t, "starts processes that push")
	t.Parallel()
	f, tree := newFleet(t), makeTree(t, 1)
	c := realConfig(tree, filepath.Join(t.TempDir(), "h.duckdb"))
	logs := append(transcripts(t, tree), f.dir)
	ch := child{Mode: "push", Home: tree, Store: c.Store, Logs: logs, Rounds: 2}
	var waits []func() answer
	for range 2 {
		_, wait := ch.Start(t)
		waits = append(waits, wait)
	}
	for _, wait := range waits {
		if a := wait(); a.Err != "" || a.Rounds != 2 {
			t.Errorf("%+v", a)
		}
	}
	wantPushed(t, f, c)
}
