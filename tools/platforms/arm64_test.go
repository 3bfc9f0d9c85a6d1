//go:build linux

package platforms

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestArm64 tries the program for Linux on arm64 under qemu. make e2e-arm64 runs it.
func TestArm64(t *testing.T) {
	output(t)
	here := native().user(t, sample())
	// With one home folder, both programs have the same id of the machine and of each log.
	there := &user{home: here.home, host: &host{
		name: "linux/arm64", program: arm64.program(t),
		starts: []string{"qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"},
	}}
	t.Run("version", func(t *testing.T) {
		want, got := here.run(t, "version"), there.run(t, "version")
		t.Logf("%s%s", want, got)
	})
	t.Run("overview", func(t *testing.T) {
		args := []string{"--sample", "--timezone", "UTC", "run", "overview"}
		if want, got := here.run(t, args...), there.run(t, args...); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("bytes of tables", func(t *testing.T) { checkBytes(t, here, there) })
	t.Run("quick tests", func(t *testing.T) {
		arm64.checkQuick(t, there, []string{"readers", "tables", "queries"})
	})
}

// checkBytes compares the bytes of all tables. Only the time of a load differs.
func checkBytes(t *testing.T, here, there *user) {
	ours, theirs := []string{"--store", filepath.Join(here.home, "amd64.duckdb")}, []string{"--store", filepath.Join(here.home, "arm64.duckdb")}
	here.run(t, append(ours, "sync")...)
	there.run(t, append(theirs, "sync")...)
	script := ""
	for _, table := range here.names(t, ours...) {
		columns := "*"
		if table == "hindsql_session.sources" {
			columns = "* EXCLUDE (loaded_at)"
		}
		script += fmt.Sprintf("SELECT '%s' AS next; SELECT %s FROM %s ORDER BY ALL;\n", table, columns, table)
	}
	ask := []string{"--no-sync", "--format", "csv", script}
	want := strings.Split(here.run(t, append(ours, ask...)...), "next\n")
	got := strings.Split(there.run(t, append(theirs, ask...)...), "next\n")
	total := 0
	for i, text := range got {
		name, _, _ := strings.Cut(text, "\n")
		if i >= len(want) || text != want[i] {
			t.Errorf("%s differs", name)
		}
		t.Logf("%-32s %8d bytes", name, len(text))
		total += len(text)
	}
	t.Logf("%d bytes compared", total)
	if total < 1e5 || len(got) != len(want) {
		t.Errorf("only %d bytes of %d tables, want %d tables", total, len(got), len(want))
	}
}
