package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/whole"
	"hindsql/readers/all"
)

// TestValuesAsDuckDBWritesThem compares values of each type with DuckDB's own cast to
// text.
func TestValuesAsDuckDBWritesThem(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.8 s of processor time")
	t.Parallel()
	expressions := []string{
		"1::TINYINT", "-1::BIGINT", "18446744073709551615::UBIGINT", "170141183460469231731687303715884105727::HUGEINT",
		"1.5::DECIMAL(10,3)", "0::DECIMAL(4,2)", "-0.05::DECIMAL(4,2)", "12::DECIMAL(4,0)", "99999999999999999999999999999999999.125::DECIMAL(38,3)",
		"0.1::DOUBLE", "1e15::DOUBLE", "1e16::DOUBLE", "1e-5::DOUBLE", "-0.0001::DOUBLE", "'inf'::DOUBLE", "'-inf'::DOUBLE", "'nan'::DOUBLE", "0.1::FLOAT", "16777216::FLOAT",
		"true", "'text'", "''", "'a'::ENUM('a', 'b')", "'101'::BIT", "uuid()",
		`'a\xFFb''"\x5C'::BLOB`,
		"DATE '2026-01-02'", "DATE 'infinity'", "TIME '03:04:05.5'", "TIMETZ '03:04:05+05:30'",
		"TIMESTAMP '2026-01-02'", "TIMESTAMP '2026-01-02 03:04:05.120'", "TIMESTAMP 'infinity'", "TIMESTAMP_NS '2026-01-02 03:04:05.123456789'",
		"TIMESTAMPTZ '2026-07-02 03:04:05.5+00'", "TIMESTAMPTZ '2026-01-02 03:04:05+00'",
		"INTERVAL '1 year 2 months 3 days 04:05:06.789'", "INTERVAL '-3 days'", "INTERVAL '-1 year -1 months'", "INTERVAL '0 days'", "INTERVAL '-100 hours'",
		"[1, NULL, 3]", "[1, 2]::INTEGER[2]", "[]", "[[1.50::DECIMAL(4,2)], [NULL]]",
		`['a', 'b c', 'd,e', 'it''s', NULL, 'NULL', 'null', '', ' x', 'q"q', 'a:b', 'a=b', '(p)', '[l]', '{z}', 'ba\ck', '\''']`,
		"{'a': 1, 'b c': 'x', 'd': [1, 2], 'e''f': DATE '2026-01-01'}", "[{'b': 1, 'a': 2}]",
		`{'t': TIMESTAMP '2026-01-02 03:04:05', 'b': true, 'f': 1::DOUBLE, 'bl': '\xAA'::BLOB, 'u': uuid(), 'i': INTERVAL '1 day', 'n': NULL}`,
		"MAP {'k': 1, 'a,b': NULL}", "MAP {1: [1], 2: []}", "MAP {'k': {'x': MAP {'y': 1}}}", "[MAP {}]", "union_value(num := 2)",
		`'{"b": 1, "a": [12345678901234567890, 1.10]}'::JSON`, `'null'::JSON`, `'"text"'::JSON`, "NULL::INTEGER",
	}
	var sql strings.Builder
	for _, x := range expressions {
		fmt.Fprintf(&sql, "SELECT x, coalesce(x::VARCHAR, 'NULL') AS x FROM (SELECT %s AS x);\n", x)
	}
	e, stdout, stderr := outside(t, "--no-sync", "--timezone", "Europe/Paris", "--format", "line", sql.String())
	results := strings.Split(strings.TrimSuffix(succeed(t, e, stdout, stderr), "\n"), "\n\n")
	if len(results) != len(expressions) {
		t.Fatalf("%d results of %d expressions:\n%s", len(results), len(expressions), stdout)
	}
	for i, result := range results {
		if ours, duckdbs, _ := strings.Cut(result, "\n"); ours != duckdbs {
			t.Errorf("%s:\n%s", expressions[i], result)
		}
	}
}

// TestOnTerminal: behaviour only on a terminal.
func TestOnTerminal(t *testing.T) {
	t.Parallel()
	terminal := func(args ...string) (environment, *strings.Builder, *strings.Builder) {
		e, stdout, stderr := outside(t, args...)
		e.stdinTerminal, e.stdoutTerminal, e.stderrTerminal, e.width = true, true, true, 60
		return e, stdout, stderr
	}
	t.Run("table", func(t *testing.T) {
		e, stdout, stderr := terminal("--no-sync", "SELECT 'x', i, repeat('long', 50) AS text FROM range(1005) t(i)")
		got := succeed(t, e, stdout, stderr)
		for _, want := range []string{"\x1b[1mtext\x1b[0m", "longl… │", "1,005 rows (first 1,000 shown; --rows 0 shows all) × 3"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in the output, which ends with %s", want, got[max(0, len(got)-200):])
			}
		}
	})
	t.Run("no colour", func(t *testing.T) {
		e, stdout, stderr := terminal("--no-sync", "SELECT 1")
		e.getenv = func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] }
		if got := succeed(t, e, stdout, stderr); strings.Contains(got, "\x1b") || !strings.Contains(got, "1 row × 1 column · ") {
			t.Errorf("output %q", got)
		}
	})
	t.Run("into a file", func(t *testing.T) {
		e, stdout, stderr := terminal("--no-sync", "-o", filepath.Join(t.TempDir(), "x.csv"), "SELECT 1")
		if got := succeed(t, e, stdout, stderr); got != "" {
			t.Errorf("output %q", got)
		}
	})
	t.Run("no SQL into a file", func(t *testing.T) {
		e, _, stderr := terminal()
		e.stdoutTerminal = false
		if code := execute(context.Background(), e); code != exitUsage {
			t.Errorf("exit code %d", code)
		}
		if got := stderr.String(); !strings.Contains(got, "no SQL given; hindsql") {
			t.Errorf("stderr %q", got)
		}
	})
}

// TestPagerOnTerminal: text longer than the terminal goes to the pager in full, unless
// paging is off.
func TestPagerOnTerminal(t *testing.T) {
	t.Parallel()
	if filepath.Separator == '\\' {
		t.Skip("the pager of this test is a shell command")
	}
	for _, test := range []struct {
		rows  int
		pager string // %s is the file written by the pager
		flags []string
		paged bool
	}{
		{9, "cat > %s", nil, false}, {10, "cat > %s", nil, true}, {100_000, "cat > %s", nil, true}, {100_000, "head -n 10 > %s", nil, true},
		{10, "cat > %s", []string{"--no-pager"}, false}, {10, "cat", nil, false}, {10, "no-such-pager", nil, false}, {10, " ", nil, false},
	} {
		t.Run(strings.Join(append(test.flags, fmt.Sprint(test.rows), test.pager), " "), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "paged")
			e, stdout, stderr := outside(t, append(test.flags, "--no-sync", "--format", "csv", fmt.Sprintf("FROM range(%d)", test.rows))...)
			e.stdoutTerminal, e.height = true, 11
			e.getenv = func(name string) string {
				return map[string]string{"PAGER": strings.ReplaceAll(test.pager, "%s", file)}[name]
			}
			got := succeed(t, e, stdout, stderr)
			paged, _ := os.ReadFile(file)
			if test.paged == (got != "") || test.paged == (len(paged) == 0) {
				t.Errorf("%d bytes on the screen, %d in the pager", len(got), len(paged))
			}
			if lines := strings.Count(got+string(paged), "\n"); lines != test.rows+1 && lines != 10 {
				t.Errorf("%d lines of %d rows", lines, test.rows)
			}
		})
	}
	t.Run("into a pipe", func(t *testing.T) {
		e, stdout, stderr := outside(t, "--no-sync", "FROM range(100)")
		e.height = 5
		e.getenv = func(name string) string { return map[string]string{"PAGER": "false"}[name] }
		if got := succeed(t, e, stdout, stderr); !strings.Contains(got, "100 rows") {
			t.Error(got)
		}
	})
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e, _, stderr := outside(t, "SELECT 1")
	if code := execute(ctx, e); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if got := stderr.String(); got != "hindsql: interrupted\n" {
		t.Errorf("stderr %q", got)
	}
}

func TestStorePath(t *testing.T) {
	t.Parallel()
	home := filepath.FromSlash("/home/ada")
	for _, test := range []struct {
		name, os, flag string
		vars           map[string]string
		want           string
	}{
		{"flag", "linux", "a.duckdb", map[string]string{"HINDSQL_STORE": "b.duckdb"}, "a.duckdb"},
		{"environment", "linux", "", map[string]string{"HINDSQL_STORE": "b.duckdb", "XDG_DATA_HOME": "/data"}, "b.duckdb"},
		{"xdg", "linux", "", map[string]string{"XDG_DATA_HOME": "/data"}, "/data/hindsql/hindsql.duckdb"},
		{"relative xdg", "linux", "", map[string]string{"XDG_DATA_HOME": "data"}, "/home/ada/.local/share/hindsql/hindsql.duckdb"},
		{"linux", "linux", "", nil, "/home/ada/.local/share/hindsql/hindsql.duckdb"},
		{"mac", "darwin", "", nil, "/home/ada/Library/Application Support/hindsql/hindsql.duckdb"},
		{"windows", "windows", "", map[string]string{"LOCALAPPDATA": "/local"}, "/local/hindsql/hindsql.duckdb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := &environment{identity: identity{os: test.os, home: home}, variables: variables{getenv: func(name string) string { return test.vars[name] }}}
			if got, err := storePath(env, &logFlags{store: test.flag}); err != nil || filepath.ToSlash(got) != test.want {
				t.Errorf("%s, %v; want %s", got, err, test.want)
			}
		})
	}
	if _, err := storePath(&environment{identity: identity{os: "linux"}, variables: variables{getenv: func(string) string { return "" }}}, &logFlags{}); err == nil {
		t.Error("no error without a home folder")
	}
}

// TestUnknownAgent: the error lists the known agents.
func TestUnknownAgent(t *testing.T) {
	t.Parallel()
	e, _, stderr := outside(t, "--root", "nobody=/x", "SELECT 1")
	if code := execute(context.Background(), e); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
	for _, r := range all.Readers() {
		if !strings.Contains(stderr.String(), r.Agent) {
			t.Errorf("stderr doesn't list %s: %s", r.Agent, stderr)
		}
	}
}
