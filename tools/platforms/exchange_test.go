//go:build linux

package platforms

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exports: exports have the same files and rows on both platforms, and an update writes
// only what changed.
func (w *world) exports(t *testing.T) {
	for _, args := range [][]string{{"--format", "parquet"}, {"--format", "csv", "--partition-by", "agent,day"}} {
		t.Run(args[1], func(t *testing.T) {
			here, there := w.linux.user(t, sample()), w.windows.user(t, sample())
			ours, theirs := here.export(t, args...), there.export(t, args...)
			want, got := files(t, ours), files(t, theirs)
			t.Logf("%d files", len(got))
			if len(want) < 10 || !slices.Equal(want, got) {
				t.Errorf("%d files %q\nwant %d %q", len(got), got, len(want), want)
			}
			if want, got := here.digest(t, ours, args[1]), here.digest(t, theirs, args[1]); got != want {
				t.Errorf("rows\n%s\nwant\n%s", got, want)
			}
			if a := there.try(t, append([]string{"export", there.path(theirs), "--update"}, args...)...); a.code != 0 || !strings.Contains(a.out+a.said, " 0 files written") {
				t.Errorf("an update without changes: %d %s%s", a.code, a.out, a.said)
			}
			there.grow(t, "new")
			a := there.try(t, append([]string{"export", there.path(theirs), "--update"}, args...)...)
			t.Log(a.out, a.said)
			if a.code != 0 || strings.Contains(a.out+a.said, " 0 files written") || !strings.Contains(a.out+a.said, " unchanged") {
				t.Errorf("an update after a change: %d %s%s", a.code, a.out, a.said)
			}
			if now := files(t, theirs); len(now) < len(want) {
				t.Errorf("%d files after an update, %d before", len(now), len(want))
			}
		})
	}
}

// export writes an export into a new folder, and returns the folder.
func (u *user) export(t *testing.T, args ...string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "export")
	u.run(t, append([]string{"export", u.path(folder)}, args...)...)
	return folder
}

// files returns the names of files below a folder.
func files(t *testing.T, folder string) []string {
	t.Helper()
	return strings.Fields(shell(t, `cd "$0" && find . -type f | sort`, folder))
}

// digest reads the export of each table, in the folder's name for u, and returns numbers
// and hashes of rows, apart from columns that differ between machines.
func (u *user) digest(t *testing.T, folder, format string) string {
	t.Helper()
	var script strings.Builder
	for _, table := range []string{"sessions", "messages", "tool_calls", "rejections", "interruptions", "compactions", "clears", "prompts"} {
		from := fmt.Sprintf("read_parquet('%s')", u.path(filepath.Join(folder, table+".parquet")))
		if format == "csv" {
			from = fmt.Sprintf("read_csv('%s', all_varchar = true, hive_partitioning = false, union_by_name = true)", u.path(filepath.Join(folder, table, "**", "*.csv")))
		}
		fmt.Fprintf(&script, "SELECT '%s' AS name, count(*) AS n, bit_xor(hash(x)) AS h FROM (SELECT COLUMNS(c -> c NOT IN ('machine', 'loaded_at', 'source_id', 'path')) FROM %s) x;\n", table, from)
	}
	return u.run(t, "--no-sync", "--format", "csv", script.String())
}

// exchange: what one platform writes, the other reads.
func (w *world) exchange(t *testing.T) {
	for _, h := range [][2]*host{{w.linux, w.windows}, {w.windows, w.linux}} {
		t.Run("from "+h[0].name, func(t *testing.T) {
			maker, reader := h[0].user(t, sample()), h[1].user(t, "")
			maker.run(t, "sync")
			names := maker.names(t)
			want, _ := maker.contents(t, maker, names)
			t.Run("store", func(t *testing.T) {
				copied := filepath.Join(t.TempDir(), "copy.duckdb")
				shell(t, `cp "$0/hindsql.duckdb" "$1"`, maker.data(), copied)
				got, _ := reader.contents(t, maker, names, "--store", reader.path(copied))
				t.Logf("%d rows equal", compare(t, 100, names, want, got))
			})
			t.Run("landing", func(t *testing.T) {
				folder := filepath.Join(t.TempDir(), "landing")
				maker.run(t, "push", "--plain-text", maker.path(folder))
				a := reader.try(t, "pull", reader.path(folder))
				t.Log(a.out, a.said)
				if a.code != 0 {
					t.Fatalf("pull: exit code %d", a.code)
				}
				got, _ := reader.contents(t, maker, names)
				t.Logf("%d rows equal", compare(t, 100, landed(names), want, got))
			})
			t.Run("export", func(t *testing.T) {
				folder := maker.export(t)
				if want, got := maker.digest(t, folder, "parquet"), reader.digest(t, folder, "parquet"); got != want {
					t.Errorf("rows\n%s\nwant\n%s", got, want)
				}
			})
		})
	}
}

// landed returns the tables whose rows a push writes.
func landed(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, name, _ = strings.Cut(name, ".")
		return slices.Contains([]string{"record_kinds", "record_fields", "report_runs"}, name)
	})
}
