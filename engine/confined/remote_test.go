package confined_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/whole"
)

// crashes is a statement that ends DuckDB 1.5.5.
const crashes = "SELECT length((repeat('[', 20000) || repeat(']', 20000))::JSON::VARIANT::VARCHAR)"

// TestCrashedTwice: the error says that the statement crashed DuckDB. After two crashes
// the statement doesn't run again.
func TestCrashedTwice(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.5 s of processor time")
	t.Parallel()
	s := open(t, safely(sampleHome(t), engine.Safe{}))
	for i := range 4 {
		_, err := tryRows(s, crashes, nil)
		var crashed *engine.Crashed
		if !errors.As(err, &crashed) || crashed.Refused != (i > 1) {
			t.Errorf("time %d: %v", i+1, err)
		}
	}
	if got := rows(t, s, "SELECT count(*) > 0 FROM messages"); got[0] != "true" {
		t.Error("the rows are gone")
	}
}

// TestRowsOnTheirWay: if another statement ends the worker, a statement with rows
// already sent can't run again, and its error says so. The session goes on.
func TestRowsOnTheirWay(t *testing.T) {
	whole.Test(t, "loads the sample, 1.3 s of processor time")
	t.Parallel()
	s := open(t, safely(sampleHome(t), engine.Safe{}))
	other, err := s.Store.Session(context.Background())
	must(t, err)
	defer other.Close()
	seen := 0
	err = s.Query(context.Background(), "SELECT range, repeat('x', 100) FROM range(500000)", nil, func(r *result.Rows) error {
		for r.Next() {
			if seen++; seen == 1 {
				if err := other.Query(context.Background(), crashes, nil, func(*result.Rows) error { return nil }); !errors.As(err, new(*engine.Crashed)) {
					t.Errorf("beside it: %v", err)
				}
			}
		}
		return r.Err()
	})
	if err == nil || !strings.Contains(err.Error(), "while rows of this one were on their way") {
		t.Errorf("after %d rows: %v", seen, err)
	}
	if got := rows(t, s, "SELECT 1"); got[0] != "1" {
		t.Errorf("afterwards: %v", got)
	}
}

// TestLongResult: rows come in many messages, all rows and in order.
func TestLongResult(t *testing.T) {
	whole.Test(t, "loads several stores, 2.3 s of processor time")
	t.Parallel()
	s := open(t, safely(sampleHome(t), engine.Safe{}))
	want := int64(0)
	must(t, s.Query(context.Background(), "SELECT range, repeat('x', 50) FROM range(200000)", nil, func(r *result.Rows) error {
		for r.Next() {
			if got := r.Values()[0]; got != want {
				return fmt.Errorf("row %d is %v", want, got)
			}
			want++
		}
		return r.Err()
	}))
	if want != 200000 {
		t.Errorf("%d rows", want)
	}
	small := open(t, safely(sampleHome(t), engine.Safe{Memory: 100_000_000}))
	_, err := tryRows(small, "SELECT repeat('x', 50000) FROM range(30000)", nil)
	var limit *engine.Limit
	if !errors.As(err, &limit) || limit.What != "memory" {
		t.Errorf("1.5 GB in 100 MB: %.200v", err)
	}
	if _, err := tryRows(s, "SELECT repeat(repeat('x', 1000), 70000)", nil); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a row of 70 MB: %.200v", err)
	}
}

// TestClosedWhileAStatementRuns: closing the Store ends a running statement at once.
func TestClosedWhileAStatementRuns(t *testing.T) {
	whole.Test(t, "loads the sample, 0.9 s of processor time")
	t.Parallel()
	c := sampleHome(t)
	store, err := engine.Open(context.Background(), safely(c, engine.Safe{}))
	must(t, err)
	s, err := store.Session(context.Background())
	must(t, err)
	must(t, s.Query(context.Background(), "SELECT 1", nil, func(*result.Rows) error { return nil }))
	ended := make(chan error)
	go func() {
		ended <- s.Query(context.Background(), "SELECT levenshtein(repeat(repeat('a', 1000), 1000), repeat(repeat('b', 1000), 1000))", nil, func(*result.Rows) error { return nil })
	}()
	time.Sleep(200 * time.Millisecond)
	begin := time.Now()
	must(t, store.Close())
	select {
	case err := <-ended:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the statement runs on")
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("after %v", took)
	}
}

// TestSlowClient: a client may take rows slowly, but not for ever.
func TestSlowClient(t *testing.T) {
	whole.Test(t, "loads several stores, 1.4 s of processor time")
	t.Parallel()
	s := open(t, safely(sampleHome(t), engine.Safe{Time: 3 * time.Second, Rest: 100 * time.Millisecond}))
	slowly := func(each time.Duration) error {
		return s.Query(context.Background(), "SELECT range, repeat('x', 100) FROM range(200000)", nil, func(r *result.Rows) error {
			for r.Next() {
				if r.Values()[0].(int64)%20000 == 0 {
					time.Sleep(each)
				}
			}
			return r.Err()
		})
	}
	var limit *engine.Limit
	if err := slowly(50 * time.Millisecond); !errors.As(err, &limit) || limit.What != "rest" || !strings.Contains(err.Error(), "100 ms") {
		t.Errorf("half a second of rest: %v", err)
	}
	if got := rows(t, s, "SELECT 1"); got[0] != "1" {
		t.Errorf("afterwards: %v", got)
	}
	patient := open(t, safely(sampleHome(t), engine.Safe{Time: time.Second}))
	s = patient
	if err := slowly(200 * time.Millisecond); err != nil {
		t.Errorf("two seconds of rest, within a second of work: %v", err)
	}
}
