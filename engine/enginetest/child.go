package enginetest

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"hindsql/engine"
)

// Child is what this test's binary does when a test starts it again, as a
// process that can be killed and that holds locks of its own.
type Child struct {
	Mode        string // which of Main's rounds
	Home, Store string
	Logs        []string      // what its rounds append to, or write into
	For         time.Duration // rounds begin until then; there is one at least
	Rounds      int           // how many rounds, whatever the time; zero for those of For
}

// Answer is what a child found, for its parent.
type Answer struct {
	Rounds, Busy   int
	Slowest, Query time.Duration // the slowest sync and query, and query alone
	Err            string
}

const childVariable = "HINDSQL_TEST_CHILD"

// Main is TestMain for packages that open safe Stores or start children: rounds
// are what those do, by their Mode.
func Main(m *testing.M, rounds map[string]func(Child, *Answer) error) {
	engine.Worker()
	text := os.Getenv(childVariable)
	if text == "" {
		code := m.Run()
		_ = os.RemoveAll(Shared())
		os.Exit(code)
	}
	var c Child
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		panic(err)
	}
	_ = json.NewEncoder(os.Stdout).Encode(c.run(rounds[c.Mode]))
}

func (c Child) run(round func(Child, *Answer) error) (a Answer) {
	for start := time.Now(); a.Rounds == 0 || a.Rounds < c.Rounds || time.Since(start) < c.For; a.Rounds++ {
		if err := round(c, &a); err != nil {
			a.Err = err.Error()
			return a
		}
	}
	return a
}

// Command is what starts the child; program is the test's binary, maybe under
// another name.
func (c Child) Command(t testing.TB, program string) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(c)
	Must(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	return cmd
}

// Start starts the child. The function that it gives waits for the answer.
func (c Child) Start(t testing.TB) (*exec.Cmd, func() Answer) {
	t.Helper()
	cmd := c.Command(t, os.Args[0])
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	Must(t, err)
	Must(t, cmd.Start())
	return cmd, func() (a Answer) {
		if err := json.NewDecoder(out).Decode(&a); err != nil {
			a.Err = err.Error()
		}
		_ = cmd.Wait()
		return a
	}
}

// Session opens the child's store for its home's logs, for one use.
func (c Child) Session(use func(context.Context, Face) error) error {
	s, err := TryOpen(RealConfig(c.Home, c.Store))
	if err != nil {
		return err
	}
	defer s.Close()
	return use(context.Background(), s)
}

// Killer kills a child again and again, at instants that are spread over twice
// the time that its first round took: a busy machine moves none of them to
// before the child's first deed.
type Killer struct {
	Child Child
	Step  time.Duration
	t     testing.TB
}

// NewKiller runs a child's first round, and spreads so many kills.
func NewKiller(t testing.TB, c Child, kills int) *Killer {
	t.Helper()
	begin := time.Now()
	_, wait := c.Start(t) // for one round
	if a := wait(); a.Err != "" {
		t.Fatal(a.Err)
	}
	round := time.Since(begin)
	c.For = time.Hour
	return &Killer{c, 2 * round / time.Duration(kills), t}
}

// Kill ends a child somewhere in the i-th part of the time.
func (k *Killer) Kill(i int) {
	k.t.Helper()
	cmd, wait := k.Child.Start(k.t)
	time.Sleep(time.Duration(i)*k.Step + rand.N(k.Step))
	Must(k.t, cmd.Process.Kill())
	wait()
}
