//go:build unix

package engine_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"hindsql/engine/enginetest"
	"hindsql/internal/result"
	"hindsql/queries"
)

// The benchmarks here are the rows of docs/bench.md. They measure the program as people
// start it, $HINDSQL_BENCH_BINARY, and saved queries in a session. CPU is user and
// system time together. On a busy machine CPU tells more than elapsed time.

// benchTrees lists the measured histories: a folder of each name below
// $HINDSQL_BENCH_TREES, as .ci/bench makes them, or copies of the sample.
var benchTrees = map[string]int{"tree211": 48, "tree1g": 240}

// program is the binary with a store and some roots.
type program struct {
	dir   string // holds the files made for the program; kept after the benchmark
	name  string // of the tree
	store string
	roots []string // the tree, and the roots of logs that may grow
	grown int
}

var programs = struct {
	sync.Mutex
	byTree map[string]*program
}{byTree: map[string]*program{}}

// loaded returns the program with the tree loaded, once for all benchmarks.
func loaded(b *testing.B, name string) *program {
	b.Helper()
	programs.Lock()
	defer programs.Unlock()
	if p := programs.byTree[name]; p != nil {
		return p
	}
	p := newProgram(b, name)
	p.add(b, p.growing("small"), 1)
	p.add(b, p.growing("20MB"), 20_000)
	p.run(b, "sync")
	programs.byTree[name] = p
	return p
}

func newProgram(b *testing.B, name string) *program {
	b.Helper()
	binary(b)
	dir, err := os.MkdirTemp(enginetest.Shared(), name+"-") //nolint:usetesting // it outlives this benchmark
	must(b, err)
	tree := filepath.Join(os.Getenv("HINDSQL_BENCH_TREES"), name)
	if _, err := os.Stat(filepath.Join(tree, "projects")); err != nil {
		copies := benchTrees[name]
		name, tree = fmt.Sprint(copies, "-samples"), filepath.Join(dir, "tree")
		must(b, os.Rename(filepath.Join(makeTree(b, copies), ".claude"), tree))
	}
	return &program{dir: dir, name: name, store: filepath.Join(dir, "h.duckdb"), roots: []string{tree}}
}

// growing returns the path of a log that may grow, below a separate root.
func (p *program) growing(size string) string {
	return filepath.Join(p.dir, size, "projects", "p", fmt.Sprintf("%08x-0000-4000-8000-000000000000.jsonl", len(size)))
}

// add makes a growing log with the given number of lines, 1 kB each.
func (p *program) add(b *testing.B, log string, lines int) {
	b.Helper()
	for range lines {
		p.grow(b, log)
	}
	p.roots = append(p.roots, filepath.Dir(filepath.Dir(filepath.Dir(log))))
}

func (p *program) grow(b *testing.B, log string) {
	b.Helper()
	p.grown++
	must(b, appendFile(log, bigLine(1_000_000+p.grown, 900)))
}

func binary(b *testing.B) string {
	b.Helper()
	path := os.Getenv("HINDSQL_BENCH_BINARY")
	if path == "" {
		b.Skip("no program to measure: make bench names it in HINDSQL_BENCH_BINARY")
	}
	return path
}

// usage is what a process took.
type usage struct {
	cpu time.Duration
	rss int64 // bytes
}

func (p *program) run(b *testing.B, args ...string) usage {
	b.Helper()
	all := []string{"--store", p.store, "--timezone", "UTC"}
	for _, root := range p.roots {
		all = append(all, "--root", "claude="+root)
	}
	return start(b, append(all, args...)...)
}

func start(b *testing.B, args ...string) usage {
	b.Helper()
	cmd := exec.Command(binary(b), args...)
	cmd.Env = []string{"HOME=/nonexistent", "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v\n%s", args, err, out)
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return usage{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), used.Maxrss * 1024}
}

// measure runs one again and again, and reports the average CPU and the highest memory.
func measure(b *testing.B, one func() usage) {
	b.Helper()
	var cpu time.Duration
	var rss int64
	for b.Loop() {
		used := one()
		cpu, rss = cpu+used.cpu, max(rss, used.rss)
	}
	b.ReportMetric(cpu.Seconds()*1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(rss)/1e6, "maxrss-MB")
}

const askedOften = "SELECT count(*) FROM rejections"

func BenchmarkProcessVersion(b *testing.B) {
	measure(b, func() usage { return start(b, "version") })
}

func BenchmarkProcessFirstLoad(b *testing.B) {
	for _, p := range []*program{newProgram(b, "tree211"), newProgram(b, "tree1g"), smallFiles(b, 100_000)} {
		b.Run(p.name, func(b *testing.B) {
			measure(b, func() usage {
				b.StopTimer()
				must(b, os.RemoveAll(p.store))
				b.StartTimer()
				return p.run(b, "sync")
			})
			info, err := os.Stat(p.store)
			must(b, err)
			b.ReportMetric(float64(info.Size())/1e6, "store-MB")
		})
	}
}

// smallFiles returns the program with n logs of one line each.
func smallFiles(b *testing.B, n int) *program {
	b.Helper()
	binary(b)
	dir := b.TempDir()
	for i := range n {
		must(b, appendFile(filepath.Join(dir, "projects", fmt.Sprint("p", i%100), fmt.Sprintf("%08x-0000-4000-8000-000000000000.jsonl", i)), bigLine(i, 100)))
	}
	return &program{dir: dir, name: fmt.Sprint(n, "-files"), store: filepath.Join(dir, "h.duckdb"), roots: []string{dir}}
}

func BenchmarkProcessNothingChanged(b *testing.B) {
	for _, p := range []*program{newProgram(b, "tree211"), smallFiles(b, 10_000)} {
		p.run(b, "sync")
		b.Run(p.name, func(b *testing.B) {
			measure(b, func() usage { return p.run(b, askedOften) })
		})
	}
}

// BenchmarkProcessGrew: a log grew by a line, in a history of the tree's size.
func BenchmarkProcessGrew(b *testing.B) {
	p := loaded(b, "tree1g")
	for _, size := range []string{"small", "20MB"} {
		b.Run(p.name+"/"+size, func(b *testing.B) {
			measure(b, func() usage {
				p.grow(b, p.growing(size))
				return p.run(b, askedOften)
			})
		})
	}
}

// BenchmarkSaved runs each saved query with its defaults, like a prompt.
func BenchmarkSaved(b *testing.B) {
	p := loaded(b, "tree1g")
	s := open(b, realConfig("/nonexistent", p.store))
	collect := func(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
		err = s.Query(ctx, sql, args, func(r *result.Rows) (err error) {
			set, err = result.Collect(r)
			return err
		})
		return set, err
	}
	all, err := queries.All("")
	must(b, err)
	all = append(all, &queries.Query{Name: "search-literal", SQL: "FROM search('migration')"})
	for _, q := range all {
		b.Run(p.name+"/"+q.Name, func(b *testing.B) {
			args, err := q.Bind(b.Context(), collect, nil)
			must(b, err)
			begin := processorTime()
			for b.Loop() {
				_, err := collect(b.Context(), q.Typed(), args)
				must(b, err)
			}
			b.ReportMetric((processorTime()-begin).Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
