package doctor

import (
	"strconv"
	"strings"
	"testing"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/readers"
)

// TestFindingsOnTerminal: on a terminal, findings have marks, colours only if wanted,
// and long texts wrapped below the text's start.
func TestFindingsOnTerminal(t *testing.T) {
	t.Parallel()
	found := []Finding{
		{OK, "store", "fine", ""},
		{Look, "problems", "two lines or files could not be read, or not wholly", "hindsql shows them"},
		{Broken, "x", "y", ""},
	}
	for color, want := range map[bool]string{
		false: "✓ store     fine\n! problems  two lines or files could not\n            be read, or not wholly\n            → hindsql shows them\n✗ x         y\n",
		true:  "\x1b[32m✓\x1b[0m store     fine\n\x1b[1m!\x1b[0m problems  two lines or files could not\n            be read, or not wholly\n            → hindsql shows them\n\x1b[31m✗\x1b[0m x         y\n",
	} {
		var b strings.Builder
		if err := Write(&term.Output{Writer: term.NewEscaper(&b), Options: term.Options{Width: 42, Color: color}}, found); err != nil || b.String() != want {
			t.Errorf("%v\n%s\nwant\n%s", err, b.String(), want)
		}
	}
}

// TestManyVersions: an agent's newer versions share a finding, and unknown things are
// named a few at a time.
func TestManyVersions(t *testing.T) {
	t.Parallel()
	c := change{agent: &readers.Reader{Agent: "toy", Tested: "1.0"}, newer: []string{"1.1", "1.2", "1.13"}}
	for i := range 5 {
		c.add([]any{"line", "f" + strconv.Itoa(i), int64(2)})
	}
	c.add([]any{nil, nil, int64(26)})
	want := "1.1 to 1.13 are newer than 1.0, the newest tested version; 26 logs with 5 unknown fields (line: f0, line: f1, line: f2 and 2 more)"
	if got := c.finding("hindsql run data-quality"); got.What != want || got.State != Look || !strings.HasSuffix(got.Do, "hindsql run data-quality agent=toy lists them") {
		t.Errorf("%+v, want\n%s", got, want)
	}
}

// TestLocksAreTold: the finding about the worker names the locks that work, and those
// missing with the reason, also on a system without locks.
func TestLocksAreTold(t *testing.T) {
	t.Parallel()
	const own, newer = "SQL of others runs in a process of its own", "Linux 6.7 and later has all of these, unless it was built or started without"
	for _, c := range []struct {
		locks []engine.Lock
		want  Finding
	}{
		{nil, Finding{OK, "worker", own + "; this system has no more locks for it", ""}},
		{[]engine.Lock{{Name: "files"}, {Name: "TCP"}}, Finding{OK, "worker", own + ", which the system keeps from files, TCP", ""}},
		{[]engine.Lock{{Name: "files"}, {Name: "TCP", Missing: "too old"}},
			Finding{Look, "worker", own + ", which the system keeps from files; not from TCP: too old", newer}},
		{[]engine.Lock{{Name: "files", Missing: "it is off"}, {Name: "TCP", Missing: "too old"}},
			Finding{Look, "worker", own + "; not from files: it is off, TCP: too old", newer}},
	} {
		if got := lockFinding(c.locks); got != c.want {
			t.Errorf("%+v\n%+v, want\n%+v", c.locks, got, c.want)
		}
	}
}
