package engine_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/internal/result"
)

func TestMain(m *testing.M) {
	enginetest.Main(m, map[string]func(child, *answer) error{"load": loadAgain, "ask": askAgain,
		"keep-reading": func(c child, _ *answer) error { return keep(c, "?access_mode=read_only") }, "keep-writing": func(c child, _ *answer) error { return keep(c, "") }})
}

// loadAgain appends to logs, and syncs: every third time from scratch.
func loadAgain(c child, a *answer) error {
	for i := range 3 {
		if err := appendFile(c.Logs[(a.Rounds*7+i)%len(c.Logs)], bigLine(os.Getpid()*1000+a.Rounds*10+i, 2000)); err != nil {
			return err
		}
	}
	return c.Session(func(ctx context.Context, s face) error {
		_, err := s.Sync(ctx, engine.SyncOptions{Full: a.Rounds%3 == 2})
		return err
	})
}

// askAgain syncs and queries, like the program for one question.
func askAgain(c child, a *answer) error {
	start := time.Now()
	err := c.Session(func(ctx context.Context, s face) error {
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

// askAll queries every table, and checks that related rows are complete.
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
