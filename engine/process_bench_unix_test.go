//go:build unix

package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// The benchmarks here measure the program as people start it, $HINDSQL_BENCH_BINARY, on
// logs and rows that no history has. tools/benchpair measures the program on histories.

// program is the binary with a store and a root of logs.
type program struct{ dir, store string }

func newProgram(b *testing.B) *program {
	b.Helper()
	binary(b)
	dir := b.TempDir()
	return &program{dir, filepath.Join(dir, "h.duckdb")}
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
	cmd := exec.Command(binary(b), append([]string{"--store", p.store, "--timezone", "UTC", "--root", "claude=" + p.dir}, args...)...)
	cmd.Env = []string{"HOME=/nonexistent", "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v\n%s", cmd.Args, err, out)
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
