// Package torture attacks the program as the world does: with logs cut, changed and
// churned, killed processes, full or failing disks, and damaged stores. After each
// attack the store must equal a clean load of the same logs. `make torture` runs it for
// ten minutes.
//
// $HINDSQL_TORTURE is the duration, half a minute by default. $HINDSQL_SEED repeats a
// run, as far as the machine allows. $HINDSQL_KILLS is the least number of kills.
// $HINDSQL_BOMBS selects statements of package attacks, see TestBombs, and
// $HINDSQL_FUNCTIONS calls of functions, see TestFunctions. $HINDSQL_PROGRAM is the
// program to test; if unset, the tests build one.
package torture_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hindsql/internal/whole"
	"hindsql/readers/sample"
	"hindsql/tables"
)

// sharers is the number of tests that share the time.
const sharers = 13

var (
	seed    = uint64(number("HINDSQL_SEED", int(time.Now().UnixNano()&0xffffff)))
	kills   = number("HINDSQL_KILLS", 0)
	program string // the path of the program
	done    counts
)

func number(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}

// counts counts actions by name.
type counts struct {
	mutex sync.Mutex
	of    map[string]int
}

func (c *counts) add(what string, n int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[what] += n
}

func (c *counts) String() string {
	var parts []string
	for what, n := range c.of {
		parts = append(parts, fmt.Sprintf("%s %d", what, n))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		os.Exit(m.Run()) // in short mode all tests are skipped
	}
	folder, err := os.MkdirTemp("", "hindsql-torture-")
	if err != nil {
		panic(err)
	}
	if program = os.Getenv("HINDSQL_PROGRAM"); program == "" {
		program = filepath.Join(folder, "hindsql.exe")
		build := exec.Command("go", "build", "-tags", "duckdb_arrow", "-o", program, "hindsql/cmd/hindsql")
		if text, err := build.CombinedOutput(); err != nil {
			panic(string(text))
		}
	}
	code := m.Run()
	fmt.Printf("torture: seed %d: %v\n", seed, &done)
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// share returns the end of an attack's share of the time, and its random source.
func share(t *testing.T) (until time.Time, chance *rand.Rand) {
	t.Helper()
	whole.Test(t, "tortures for a share of half a minute")
	all := 30 * time.Second
	if given, err := time.ParseDuration(os.Getenv("HINDSQL_TORTURE")); err == nil {
		all = given
	}
	name := uint64(0)
	for _, c := range t.Name() {
		name = name*31 + uint64(c)
	}
	return time.Now().Add(all / sharers), rand.New(rand.NewPCG(seed, name))
}

// world is a home with the sample's logs, and a store.
type world struct {
	t       *testing.T
	home    string
	store   string
	chance  *rand.Rand
	limit   string // shell code before the program
	mayHang bool   // if true, a hanging process is killed without failing the test
}

func newWorld(t *testing.T, chance *rand.Rand) *world {
	t.Helper()
	folder := t.TempDir()
	home, err := sample.Write(folder)
	must(t, err)
	return &world{t: t, home: home, store: filepath.Join(folder, "data", "s.duckdb"), chance: chance}
}

// logs returns the paths of the logs, in order.
func (w *world) logs() (list []string) {
	must(w.t, filepath.WalkDir(w.home, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && slices.Contains([]string{".jsonl", ".json"}, filepath.Ext(path)) {
			list = append(list, path)
		}
		return err
	}))
	return list
}

// command returns the program's command, not yet started.
func (w *world) command(args ...string) *exec.Cmd {
	args = append([]string{"--store", w.store, "--timezone", "UTC"}, args...)
	cmd := exec.Command(program, args...)
	if w.limit != "" {
		cmd = exec.Command("sh", append([]string{"-c", w.limit + `; exec "$0" "$@"`, program}, args...)...)
	}
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "HINDSQL_STORE"} {
		cmd.Env = append(cmd.Env, name+"=")
	}
	cmd.Env = append(os.Environ(), append(cmd.Env, "HOME="+w.home, "USERPROFILE="+w.home)...)
	return cmd
}

// result is a process's exit code and output.
type result struct {
	code           int
	stdout, stderr string
}

// run runs the program to its end. Unless the world has a limit, the program must not
// panic or die of a signal.
func (w *world) run(args ...string) result {
	w.t.Helper()
	cmd := w.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	patience := 2 * time.Minute
	if w.mayHang {
		patience = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	must(w.t, cmd.Start())
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	err := cmd.Wait()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		w.t.Fatal(err)
	}
	done.add("processes", 1)
	r := result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	if ctx.Err() != nil && !w.mayHang || w.limit == "" && (r.code < 0 || strings.Contains(r.stderr, "goroutine ") || strings.Contains(r.stderr, "panic:")) {
		w.t.Fatalf("%v: exit code %d\n%.3000s", args, r.code, r.stderr)
	}
	return r
}

// succeed is run, with a check for exit code 0.
func (w *world) succeed(args ...string) string {
	w.t.Helper()
	r := w.run(args...)
	if r.code != 0 {
		w.t.Fatalf("%v: exit code %d\n%.2000s", args, r.code, r.stderr)
	}
	return r.stdout
}

// sum is the SQL for the number of rows and the sum of row hashes of each table.
var sum = sync.OnceValue(func() string {
	var pieces []string
	for _, t := range tables.Loaded() {
		if t.Name == "message_keys" { // the order depends on the loads
			continue
		}
		columns := "*"
		if t.Name == "sources" {
			columns = "* EXCLUDE (loaded_at, modified_at) REPLACE (gone_at IS NOT NULL AS gone_at)"
		}
		where := "true"
		if t.Name == "neighbours" { // Codex logs older than a minute have no watched missing neighbours
			where = "existed OR agent != 'codex'"
		}
		pieces = append(pieces, fmt.Sprintf("SELECT '%[2]s' AS name, count(*) AS rows, coalesce(sum(hash(CAST(t AS VARCHAR))::HUGEINT), 0) AS hash FROM (SELECT %[1]s FROM store.%[3]s.%[2]s WHERE %[4]s) AS t", columns, t.Name, tables.Schema, where))
	}
	return strings.Join(pieces, " UNION ALL ") + " ORDER BY ALL"
})

// holds returns sum's answer for the store, without a sync.
func (w *world) holds() string {
	w.t.Helper()
	return w.succeed("--no-sync", "--format", "csv", sum())
}

// clean returns the same home with a new store.
func (w *world) clean() *world {
	other := *w
	other.store, other.limit = filepath.Join(w.t.TempDir(), "clean.duckdb"), ""
	return &other
}

// wantClean syncs and checks that the store equals a clean load of the same logs.
func (w *world) wantClean(what string) {
	w.t.Helper()
	w.limit = ""
	w.succeed("sync")
	clean := w.clean()
	clean.succeed("sync")
	w.wantLike(clean, what)
}

func (w *world) wantLike(other *world, what string) {
	w.t.Helper()
	done.add("comparisons", 1)
	want, got := strings.Split(other.holds(), "\n"), strings.Split(w.holds(), "\n")
	if slices.Equal(want, got) {
		return
	}
	for i := range want {
		if i >= len(got) || want[i] != got[i] {
			w.t.Errorf("%s: seed %d: clean %s, is %s", what, seed, want[i], got[min(i, len(got)-1)])
		}
	}
	w.t.FailNow()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
