package confined_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/engine/confined"
	"hindsql/engine/duck"
	"hindsql/engine/enginetest"
	"hindsql/internal/result"
	"hindsql/internal/whole"
)

// slowly is a redactor that stops at its first text of a long log, until the test lets
// it go on, and counts the texts.
type slowly struct {
	texts atomic.Int64
	began chan struct{} // gets a value at the first text
	goOn  chan struct{}
}

func newSlowly() *slowly { return &slowly{began: make(chan struct{}), goOn: make(chan struct{})} }

func (s *slowly) redact(text string, _ bool) string {
	if len(text) > 4 && text[:4] == "text" && s.texts.Add(1) == 1 {
		s.began <- struct{}{}
		<-s.goOn
	}
	return text
}

func drain(r *result.Rows) error {
	for r.Next() {
	}
	return r.Err()
}

// manyTexts is the number of messages in the home of a slow redactor.
const manyTexts = 5000

func slowHome(t *testing.T, s *slowly, limit time.Duration) (first, second enginetest.Face) {
	t.Helper()
	h := newHome(t)
	lines := make([]string, manyTexts)
	for i := range lines {
		lines[i] = line(i, "")
	}
	h.Write("a.jsonl", lines...)
	h.Sync()
	first = open(t, safely(h.Config(), engine.Safe{Redact: s.redact, Time: limit}))
	session, err := first.Store.Session(t.Context())
	must(t, err)
	t.Cleanup(func() { session.Close() })
	return first, enginetest.Face{Store: first.Store, Session: session}
}

// TestRedactionEndsWithTheCaller: if the caller leaves while rows are redacted, no more
// than the texts in work are redacted, and another client gets an answer without them.
func TestRedactionEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	slow := newSlowly()
	first, second := slowHome(t, slow, 0)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- first.Query(ctx, "SELECT max(text) FROM messages", nil, drain) }()
	<-slow.began
	cancel()
	close(slow.goOn)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	slow.wantStopped(t, second)
}

// TestOthersWaitForOneText: while a client's texts are redacted, another client's
// statement on rows that the worker holds runs at once, and a statement on other rows
// runs after the text in work.
func TestOthersWaitForOneText(t *testing.T) {
	whole.Test(t, "waits for a slow redaction, 0.7 s of processor time")
	t.Parallel()
	slow := newSlowly()
	first, second := slowHome(t, slow, 0)
	count := func(table, want string) {
		t.Helper()
		if got := rows(t, second, "SELECT count(*) FROM "+table)[0]; got != want {
			t.Errorf("another client counts %s of %s", got, table)
		}
	}
	count("messages", fmt.Sprint(manyTexts))
	longest := make(chan string)
	go func() { longest <- rows(t, first, "SELECT max(text) FROM messages")[0] }()
	<-slow.began
	count("messages", fmt.Sprint(manyTexts))
	go func() {
		for !confined.IsWaitedFor(first.Store.Pool()) {
			time.Sleep(time.Millisecond)
		}
		close(slow.goOn)
	}()
	count("sessions", "1")
	if n := slow.texts.Load(); n > 100 {
		t.Errorf("another client waited for %d texts", n)
	}
	if got := <-longest; got != "text 999" {
		t.Errorf("the first client got %s", got)
	}
}

// TestRedactionIsInTheLimit: a statement's limit of time counts from the question, also
// while rows are redacted.
func TestRedactionIsInTheLimit(t *testing.T) {
	whole.Test(t, "waits three seconds")
	t.Parallel()
	const limit = 3 * time.Second
	slow := newSlowly()
	first, second := slowHome(t, slow, limit)
	ended := make(chan error, 1)
	go func() { ended <- first.Query(t.Context(), "SELECT max(text) FROM messages", nil, drain) }()
	select {
	case <-slow.began:
	case err := <-ended:
		t.Fatalf("the statement ended before the first text: %v", err)
	}
	time.Sleep(limit) // the limit has passed, and the text is still in work
	close(slow.goOn)
	var late *engine.Limit
	if err := <-ended; !errors.As(err, &late) || late.What != "time" {
		t.Errorf("%v", err)
	}
	slow.wantStopped(t, second)
}

// wantStopped wants other clients to get their rows, and the rows of the statement to be
// redacted only when asked for again.
func (s *slowly) wantStopped(t *testing.T, other enginetest.Face) {
	t.Helper()
	if got := rows(t, other, "SELECT count(*) FROM messages")[0]; got != fmt.Sprint(manyTexts) {
		t.Errorf("another client counts %s", got)
	}
	if n := s.texts.Load(); n > 100 {
		t.Errorf("%d texts were redacted for nobody", n)
	}
	if got := rows(t, other, "SELECT max(text) FROM messages")[0]; got != "text 999" {
		t.Errorf("asked again: %s", got)
	}
	if n := s.texts.Load(); n < manyTexts {
		t.Errorf("asked again: %d texts were redacted", n)
	}
}

// TestReadingEndsBetweenTexts: an export or a push ends after the text in work.
func TestReadingEndsBetweenTexts(t *testing.T) {
	t.Parallel()
	s := newHome(t).Open()
	ctx, cancel := context.WithCancel(t.Context())
	texts := 0
	err := s.Read(ctx, func(r *engine.Reading) error {
		redacting, err := r.Redacting(ctx, func(text string, _ bool) string {
			texts++
			cancel()
			return text
		})
		if err != nil {
			return err
		}
		return r.Exec(redacting, "CREATE TEMP TABLE x AS SELECT hindsql_redact(range::VARCHAR, false) FROM range(2000)")
	})
	if !errors.Is(err, context.Canceled) || texts != 1 {
		t.Errorf("%d texts, %v", texts, err)
	}
}

// TestGivingWayKeepsRows: a copying that gives way at any text neither loses nor doubles
// rows, also when the store changes later, and redacts no long text twice.
func TestGivingWayKeepsRows(t *testing.T) {
	t.Parallel()
	const texts = 600
	h := newHome(t)
	lines := make([]string, texts, texts+1)
	for i := range lines {
		lines[i] = strings.Replace(line(i, ""), "text ", strings.Repeat("x", 600), 1)
	}
	for round := range whole.Or(40, 2) {
		h.Write("a.jsonl", lines[:texts]...)
		h.Sync()
		var redacted atomic.Int64
		asks := make(chan struct{})
		at, first := rand.Int64N(texts)+1, enginetest.Face{} //nolint:gosec // any text will do
		first = open(t, safely(h.Config(), engine.Safe{Redact: func(text string, _ bool) string {
			if len(text) > 600 && redacted.Add(1) == at {
				close(asks)
				for !confined.IsWaitedFor(first.Store.Pool()) {
					time.Sleep(time.Millisecond)
				}
			}
			return text
		}}))
		session, err := first.Store.Session(t.Context())
		must(t, err)
		second := enginetest.Face{Store: first.Store, Session: session}
		want := func(who enginetest.Face, query string, n int) {
			if got := rows(t, who, query)[0]; got != fmt.Sprint(n) {
				t.Errorf("round %d, text %d: %s: %s, want %d", round, at, query, got, n)
			}
		}
		want(first, "SELECT count(*) FROM messages", texts)
		counted := make(chan bool)
		go func() {
			defer close(counted)
			want(first, "SELECT 2 * count(*) - count(DISTINCT text) FROM messages", texts)
		}()
		<-asks
		want(second, "SELECT count(*) FROM sessions", 1)
		<-counted
		if n := redacted.Load(); n > texts {
			t.Errorf("text %d: %d long texts were redacted", at, n)
		}
		h.Write("a.jsonl", append(lines, line(texts, ""))...)
		_, err = first.Sync(t.Context(), engine.SyncOptions{})
		must(t, err)
		want(second, "SELECT 2 * count(*) - count(DISTINCT text) FROM messages", texts+1)
		must(t, session.Close())
		must(t, first.Close())
	}
}

// TestAStopSplitsNoTransaction: a transaction whose caller leaves at BEGIN is rolled back,
// and a COMMIT that has run is no error.
func TestAStopSplitsNoTransaction(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{"BEGIN": "BEGIN ROLLBACK", "COMMIT": "BEGIN COMMIT"} {
		ctx, cancel := context.WithCancel(t.Context())
		var ran []string
		err := duck.Transaction(ctx, func(ctx context.Context, statement string) error {
			if ran = append(ran, statement); statement == at {
				cancel()
			}
			return ctx.Err()
		}, ctx.Err)
		if got := strings.Join(ran, " "); got != want || (err == nil) != (at == "COMMIT") {
			t.Errorf("stopped at %s: %s, %v", at, got, err)
		}
		cancel()
	}
}
