package confined_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/torture/attacks"
	"hindsql/internal/whole"
)

// TestAttacks sends one statement of each class while eight sessions ask. The statement
// gets the error of its limit, the sessions get their rows, and a later statement
// works. The limits here are wide; `make torture` tests exact ones.
func TestAttacks(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.7 s of processor time")
	t.Parallel()
	c := sampleHome(t)
	for i, test := range []struct {
		class, what string
		bounds      engine.Safe
		want        []string
	}{
		{"crash", "json_structure of rows", engine.Safe{}, []string{"the statement crashed DuckDB"}},
		{"time", "levenshtein", engine.Safe{Time: time.Second}, []string{"stopped at the limit of time, 1 s"}},
		{"memory", "a lambda's texts", engine.Safe{Memory: 300_000_000}, []string{"stopped at the limit of memory", "stopped at the limit of time"}},
		{"names", "settings, where a recursion begins", engine.Safe{}, []string{"no table that is here"}},
	} {
		t.Run(test.class, func(t *testing.T) {
			t.Parallel()
			whole.Most(t, i, 4, "has eight sessions ask beside it")
			s := open(t, safely(c, test.bounds))
			rows(t, s, "SELECT 1")
			stop := make(chan struct{})
			var beside sync.WaitGroup
			for n := range 8 {
				session, err := s.Store.Session(context.Background())
				must(t, err)
				beside.Go(func() {
					defer session.Close()
					for open := true; open; {
						select {
						case <-stop:
							open = false
						case <-time.After(20 * time.Millisecond):
						}
						if err := asks(session, n); err != nil {
							t.Errorf("beside it: %v", err)
							return
						}
					}
				})
			}
			begin := time.Now()
			got, err := tryRows(s, attack(t, test.class, test.what), nil)
			took := time.Since(begin)
			close(stop)
			beside.Wait()
			found := false
			for _, want := range test.want {
				found = found || err != nil && strings.Contains(err.Error(), want)
			}
			if !found {
				t.Errorf("after %v: %.300v, %v", took, got, err)
			}
			if err := asks(s.Session, 8); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

func attack(t *testing.T, class, what string) string {
	t.Helper()
	for _, a := range attacks.All() {
		if a.Class == class && a.What == what {
			return a.SQL
		}
	}
	t.Fatalf("%s: no attack of the class %s", what, class)
	return ""
}

// asks lets a session run the query of one of nine askers.
func asks(s *engine.Session, n int) error {
	var got []any
	err := s.Query(context.Background(), fmt.Sprintf("SELECT sum(range)::BIGINT, (SELECT count(*) > 0 FROM messages) FROM range(%d)", 1000*n+1), nil, func(r *result.Rows) error {
		for r.Next() {
			got = append(got, r.Values()...)
		}
		return r.Err()
	})
	if want := []any{int64(1000*n) * int64(1000*n+1) / 2, true}; err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("%v, want %v: %w", got, want, err)
	}
	return nil
}
