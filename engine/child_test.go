package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/engine/result"
)

// child is what this test's binary does when a test starts it again, as a
// process that can be killed and that holds locks of its own.
type child struct {
	Mode        string // load, ask, export, import, push, keep-reading or keep-writing
	Home, Store string
	Logs        []string      // that load and export append to; the last is the folder of export, import and push
	For         time.Duration // rounds begin until then; there is one at least
	Rounds      int           // how many rounds, whatever the time; zero for those of For
}

// answer is what a child found, for its parent.
type answer struct {
	Rounds, Busy   int
	Slowest, Query time.Duration // the slowest sync and query, and query alone
	Err            string
}

const childVariable = "HINDSQL_TEST_CHILD"

func TestMain(m *testing.M) {
	engine.Worker()
	text := os.Getenv(childVariable)
	if text == "" {
		code := m.Run()
		_ = os.RemoveAll(shared())
		os.Exit(code)
	}
	var c child
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		panic(err)
	}
	a := c.run()
	json.NewEncoder(os.Stdout).Encode(a)
}

func (c child) text(t testing.TB) string {
	t.Helper()
	text, err := json.Marshal(c)
	must(t, err)
	return string(text)
}

func (c child) start(t testing.TB) (*exec.Cmd, func() answer) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	cmd.Env = append(os.Environ(), childVariable+"="+c.text(t))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return cmd, func() (a answer) {
		if err := json.NewDecoder(out).Decode(&a); err != nil {
			a.Err = err.Error()
		}
		cmd.Wait()
		return a
	}
}

func (c child) run() (a answer) {
	round := map[string]func(*answer) error{"load": c.load, "ask": c.ask, "export": c.export, "import": c.take, "push": c.push,
		"keep-reading": func(*answer) error { return c.keep("?access_mode=read_only") }, "keep-writing": func(*answer) error { return c.keep("") }}[c.Mode]
	for start := time.Now(); a.Rounds == 0 || a.Rounds < c.Rounds || time.Since(start) < c.For; a.Rounds++ {
		if err := round(&a); err != nil {
			a.Err = err.Error()
			return a
		}
	}
	return a
}

// load lets a log grow, and syncs: every third time from scratch.
func (c child) load(a *answer) error {
	for i := range 3 {
		if err := appendFile(c.Logs[(a.Rounds*7+i)%len(c.Logs)], bigLine(os.Getpid()*1000+a.Rounds*10+i, 2000)); err != nil {
			return err
		}
	}
	return c.session(func(ctx context.Context, s face) error {
		_, err := s.Sync(ctx, engine.SyncOptions{Full: a.Rounds%3 == 2})
		return err
	})
}

// export lets a log grow, and updates an export, or writes it anew.
func (c child) export(a *answer) error {
	logs, dir := c.Logs[:len(c.Logs)-1], c.Logs[len(c.Logs)-1]
	if err := appendFile(logs[a.Rounds%len(logs)], bigLine(os.Getpid()*1000+a.Rounds, 2000)); err != nil {
		return err
	}
	return c.session(func(ctx context.Context, s face) error {
		if _, err := s.Sync(ctx, engine.SyncOptions{}); err != nil {
			return err
		}
		_, err := export.Run(ctx, s.Session, export.Options{Dir: dir, Format: export.Parquet, PartitionBy: []string{"agent", "day"}, Update: a.Rounds%4 != 3})
		return err
	})
}

// take imports, again and again.
func (c child) take(*answer) error {
	return c.session(func(ctx context.Context, s face) error {
		_, err := export.Import(ctx, s.Store, export.ImportOptions{Dir: c.Logs[0], Host: "desk"})
		return err
	})
}

// ask syncs and queries, as the program does for one question.
func (c child) ask(a *answer) error {
	start := time.Now()
	err := c.session(func(ctx context.Context, s face) error {
		report, err := s.Sync(ctx, engine.SyncOptions{})
		if err != nil {
			return err
		}
		if report.Busy {
			a.Busy++
		}
		asked := time.Now()
		err = askAll(ctx, s)
		a.Query = max(a.Query, time.Since(asked))
		return err
	})
	a.Slowest = max(a.Slowest, time.Since(start))
	return err
}

func (c child) session(use func(context.Context, face) error) error {
	ctx := context.Background()
	s, err := tryOpen(realConfig(c.Home, c.Store))
	if err != nil {
		return err
	}
	defer s.Close()
	return use(ctx, s)
}

// askAll reads from every table, and finds that what belongs together is there
// together.
func askAll(ctx context.Context, s face) error {
	return s.Query(ctx, `SELECT
		(SELECT count(text) FROM messages ANTI JOIN sources USING (source_id)),
		(SELECT count(tool_input) FROM rejections ANTI JOIN messages USING (agent, source_id, message_index)),
		(SELECT count(*) FROM sources WHERE messages <> (SELECT count(*) FROM with_copies.messages m WHERE m.source_id = sources.source_id)),
		(SELECT sum(lines) + count(last_seen) FROM record_kinds), (SELECT count(*) FROM clears JOIN compactions USING (agent)),
		(SELECT count(i.marker) + count(p.text) FROM interruptions i, prompts p), (SELECT count(what) FROM problems)`, nil,
		func(r *result.Rows) error {
			for r.Next() {
				for i, v := range r.Values()[:3] {
					if v != int64(0) {
						return fmt.Errorf("check %d: %v rows without their others", i, v)
					}
				}
			}
			return r.Err()
		})
}
