package redact

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestSeen: texts come out the same when they come again, and each secret counts, from
// several goroutines at once.
func TestSeen(t *testing.T) {
	r := New()
	secret := "password: " + "Xk9" + "vbQ2mZ8wLp"
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for _, text := range []string{secret, "no secret", secret, "no secret", `{"a":"no secret"}`} {
				got := r.Redact(text, strings.HasPrefix(text, "{"))
				if want := strings.Replace(text, "Xk9"+"vbQ2mZ8wLp", "[redacted:generic-api-key]", 1); got != want {
					t.Errorf("%q became %q", text, got)
				}
			}
		})
	}
	all.Wait()
	if n := r.Counts()["generic-api-key"]; n != 8 {
		t.Errorf("counted %d secrets, want 8", n)
	}
	if !r.seen[0].has("no secret") || r.seen[0].has(secret) || r.seen[0].has(`{"a":"no secret"}`) {
		t.Error("other texts are remembered than the plain text without a secret")
	}
}

// TestSeenIsBounded: the memory for texts is limited, and has the latest texts.
func TestSeenIsBounded(t *testing.T) {
	var s seen
	text := func(n int) string { return fmt.Sprint(n, strings.Repeat(" word", 2000)) }
	const many = 4 * seenBytes / 10_000
	for n := range many {
		s.add(text(n))
		s.has(text(0)) // a text that comes again and again stays
	}
	s.add(strings.Repeat("x", seenLongest+1))
	bytes := 0
	for _, texts := range []map[string]struct{}{s.now, s.before} {
		for text := range texts {
			bytes += len(text)
		}
	}
	if bytes > 2*seenBytes || bytes < seenBytes {
		t.Errorf("remembers %d bytes, want %d to %d", bytes, seenBytes, 2*seenBytes)
	}
	if !s.has(text(many-1)) || !s.has(text(0)) || s.has(text(1)) {
		t.Error("doesn't remember the latest texts, or remembers an early one")
	}
}
