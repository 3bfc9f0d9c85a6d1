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

// Child is a run of the test's binary as another process, which can be killed and holds
// its own locks.
type Child struct {
	Mode        string // name of an action in Main's rounds
	Home, Store string
	Logs        []string      // files for the rounds to append to, or folders to write into
	For         time.Duration // how long the child repeats its action (rounds); at least one round runs
	Rounds      int           // least number of rounds, even if they take longer than For
}

// Answer is a child's result for its parent.
type Answer struct {
	Rounds, Busy   int
	Slowest, Query time.Duration // slowest sync and query, and slowest query alone
	Err            string
}

const childVariable = "HINDSQL_TEST_CHILD"

// Main is TestMain for packages that open safe Stores or start children. rounds maps a
// Mode to the child's action.
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

// Command returns the command that starts the child. program is the test's binary,
// possibly under another name.
func (c Child) Command(t testing.TB, program string) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(c)
	Must(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	return cmd
}

// Start starts the child. The returned function waits for the answer.
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

// Session opens the child's store for the logs of its home, calls use, and closes the
// store.
func (c Child) Session(use func(context.Context, Face) error) error {
	s, err := TryOpen(RealConfig(c.Home, c.Store))
	if err != nil {
		return err
	}
	defer s.Close()
	return use(context.Background(), s)
}

// Killer kills a child repeatedly. The kills spread over twice the time of the child's
// first round, so even on a busy machine some kills come after the child's first
// action.
type Killer struct {
	Child Child
	Step  time.Duration
	t     testing.TB
}

// NewKiller runs a child's first round, measures the round, and spreads the instants of
// kills over twice that time.
func NewKiller(t testing.TB, c Child, kills int) *Killer {
	t.Helper()
	begin := time.Now()
	_, wait := c.Start(t) // one round
	if a := wait(); a.Err != "" {
		t.Fatal(a.Err)
	}
	round := time.Since(begin)
	c.For = time.Hour
	return &Killer{c, 2 * round / time.Duration(kills), t}
}

// Kill starts the child and kills it at a random instant in the i-th part of that time.
// i counts from 0.
func (k *Killer) Kill(i int) {
	k.t.Helper()
	cmd, wait := k.Child.Start(k.t)
	time.Sleep(time.Duration(i)*k.Step + rand.N(k.Step))
	Must(k.t, cmd.Process.Kill())
	wait()
}
