package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hindsql/engine/fleet/landing"
	"hindsql/internal/corpus"
)

// counted lists the tables to count and their columns to sum, as engines.py does.
var counted = map[string][]string{
	"sessions": {"message_count"}, "messages": {"input_tokens", "output_tokens", "cache_read_tokens"}, "tool_calls": nil, "rejections": nil,
	"interruptions": nil, "compactions": nil, "clears": nil, "prompts": nil, "sources": nil, "problems": nil, "record_kinds": nil,
}

// TestEngines compares the counts of foreign engines on a lake with the counts after a
// hindsql pull of the same landing. Three machines share the logs. One machine has an
// older version, and one project lies on all machines.
func TestEngines(t *testing.T) {
	bin := os.Getenv("HINDSQL_LAKE_TEST")
	if bin == "" {
		t.Skip("engines come from PyPI and Maven: make lake-test")
	}
	l := newCompany(t, bin)
	l.split(corpus.Home(t, "home"))
	want := l.committed()
	for _, engine := range []string{"pyiceberg", "duckdb", "spark", "trino", "clickhouse"} {
		t.Run(engine, func(t *testing.T) {
			if engine == "trino" {
				l.trino(t)
			}
			same(t, want, l.asked(engine).Numbers)
		})
	}
	t.Run("hindsql --lake", func(t *testing.T) {
		folders, err := filepath.Glob(filepath.Join(bin, "python/lib/python*/site-packages"))
		if err != nil || len(folders) != 1 {
			t.Fatal(folders, err)
		}
		t.Setenv("HINDSQL_EXTENSIONS", folders[0])
		t.Setenv("AWS_ENDPOINT_URL", l.endpoint)
		same(t, want, l.numbers(func(sql string) string {
			return l.run(filepath.Join(bin, "hindsql"), "--lake", l.catalog+"?warehouse=lake", "--format", "json", sql)
		}))
		if out := l.run(filepath.Join(bin, "hindsql"), "--lake", l.catalog+"?warehouse=lake", "--format", "csv", "rejections"); strings.Count(out, "\n") < 2 {
			t.Errorf("rejections: %s", out)
		}
	})
}

func same(t *testing.T, want, got map[string]int64) {
	t.Helper()
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s is %d, and %d of a store that pulled", name, got[name], n)
		}
	}
}

// TestCompaction checks counts after Spark or Trino joined files, and again after a
// commit changed a joined day.
func TestCompaction(t *testing.T) {
	bin := os.Getenv("HINDSQL_LAKE_TEST")
	if bin == "" {
		t.Skip("engines come from PyPI and Maven: make lake-test")
	}
	for _, engine := range []string{"spark", "trino"} {
		t.Run(engine, func(t *testing.T) {
			l := newCompany(t, bin)
			if engine == "trino" {
				l.trino(t)
			}
			l.split(corpus.Home(t, "home"))
			want := l.committed()
			before := l.asked(engine)
			joined := l.asked(engine, "compact")
			if joined.Files >= before.Files {
				t.Errorf("%d files of messages, and %d once joined", before.Files, joined.Files)
			}
			same(t, want, joined.Numbers)
			messages := want["messages"]
			l.grow("m1")
			if want = l.committed(); want["messages"] != messages+1 {
				t.Errorf("%d messages after %d", want["messages"], messages)
			}
			same(t, want, l.asked(engine).Numbers)
			same(t, want, l.asked("pyiceberg").Numbers)
		})
	}
}

// company is a bucket, a catalog and the machines' homes.
type company struct {
	t                         *testing.T
	bin, dir                  string
	endpoint, catalog, source string
	flags                     []string
}

func newCompany(t *testing.T, bin string) *company {
	c := &company{t: t, bin: bin, dir: t.TempDir(), endpoint: "http://127.0.0.1:8182", catalog: "http://127.0.0.1:8181", source: "s3://lake/pushed"}
	c.flags = []string{"--endpoint", c.endpoint, "--region", "us-east-1"}
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_REGION", "us-east-1")
	// The catalog's Java client can't read the answers of the other tests' S3 server.
	c.serve(c.endpoint+"/moto-api/", exec.Command(filepath.Join(bin, "python/bin/python"), "-m", "moto.server", "-H", "127.0.0.1", "-p", "8182"))
	put, err := http.NewRequest(http.MethodPut, c.endpoint+"/lake", nil)
	c.must(err)
	r, err := http.DefaultClient.Do(put)
	c.must(err)
	c.must(r.Body.Close())
	c.fixture()
	return c
}

// serve starts a server and waits for an answer.
func (c *company) serve(url string, cmd *exec.Cmd) { serve(c.t, url, "", cmd) }

// serve starts a server for a test and waits until its answer contains a text.
func serve(t *testing.T, url, text string, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 240 {
		if r, err := http.Get(url); err == nil {
			body, err := io.ReadAll(r.Body)
			_ = r.Body.Close()
			if err == nil && strings.Contains(string(body), text) {
				return
			}
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Fatalf("%s: doesn't answer", url)
}

// trino starts Trino, which needs a newer Java than the rest.
func (c *company) trino(t *testing.T) {
	t.Helper()
	home := os.Getenv("HINDSQL_TRINO_JAVA")
	if home == "" {
		t.Skip("Trino needs Java 24 or newer: HINDSQL_TRINO_JAVA names the folder of one")
	}
	servers, err := filepath.Glob(filepath.Join(c.bin, "trino", "trino-server-*", "bin", "launcher"))
	if err != nil || len(servers) != 1 {
		t.Fatal(servers, err)
	}
	etc, err := filepath.Abs(filepath.Join("testdata", "trino"))
	c.must(err)
	cmd := exec.Command(servers[0], "run", "--etc-dir", etc, "--data-dir", filepath.Join(t.TempDir(), "data")) // the launcher becomes the server itself
	cmd.Env = append(os.Environ(), "JAVA_HOME="+home, "PATH="+filepath.Join(home, "bin")+":"+os.Getenv("PATH"))
	serve(t, "http://127.0.0.1:8183/v1/info", `"starting":false`, cmd)
}

// fixture starts Iceberg's own REST catalog.
func (c *company) fixture() {
	cmd := exec.Command("java", "-Xmx600m", "-cp", filepath.Join(c.bin, "jars", "*"), "org.apache.iceberg.rest.RESTCatalogServer")
	cmd.Env = append(os.Environ(), "CATALOG_WAREHOUSE=s3://lake/warehouse", "CATALOG_IO__IMPL=org.apache.iceberg.aws.s3.S3FileIO", "CATALOG_S3_ENDPOINT="+c.endpoint,
		"CATALOG_S3_PATH__STYLE__ACCESS=true", "CATALOG_CATALOG__IMPL=org.apache.iceberg.jdbc.JdbcCatalog", "CATALOG_URI=jdbc:sqlite:file:"+filepath.Join(c.dir, "catalog.db"),
		"CATALOG_JDBC_USER=u", "CATALOG_JDBC_PASSWORD=p", "CATALOG_JDBC_SCHEMA__VERSION=V1", "CATALOG_REST_PORT=8181")
	c.serve(c.catalog+"/v1/config", cmd)
}

// split pushes a corpus's projects from three machines. The first project lies on all
// three.
func (c *company) split(home string) {
	projects, err := filepath.Glob(filepath.Join(home, ".claude", "projects", "*"))
	if err != nil || len(projects) < 3 {
		c.t.Fatalf("%s: no three projects of logs there", home)
	}
	of := map[string]int{} // machine by log name; a log in two folders belongs to one machine
	on := map[string]int{}
	for i, p := range projects {
		on[p] = i % 3
		logs, err := filepath.Glob(filepath.Join(p, "*.jsonl"))
		c.must(err)
		for _, log := range logs {
			if m, ok := of[filepath.Base(log)]; ok {
				on[p] = m
			}
		}
		for _, log := range logs {
			of[filepath.Base(log)] = on[p]
		}
	}
	for i := range 3 {
		machine := fmt.Sprint("m", i)
		for j, p := range projects {
			if j == 0 || on[p] == i {
				c.must(os.CopyFS(filepath.Join(c.dir, machine, ".claude", "projects", filepath.Base(p)), os.DirFS(p)))
			}
		}
		if i < 2 {
			c.hindsql(machine, "push", c.source)
		}
	}
	c.pushOlder("m2")
}

// pushOlder pushes from a machine with an older hindsql, which lacked some columns.
func (c *company) pushOlder(machine string) {
	c.t.Helper()
	folder := filepath.Join(c.dir, "older")
	c.hindsql(machine, "push", folder)
	machines, err := filepath.Glob(filepath.Join(folder, landing.Root, "*"))
	if err != nil || len(machines) != 1 {
		c.t.Fatal(machines, err)
	}
	c.run(filepath.Join(c.bin, "python/bin/python"), "testdata/older.py", machines[0], "messages.stop_reason", "sessions.git_remote")
	target, err := landing.Open(c.source, landing.Options{Endpoint: c.endpoint, Region: "us-east-1", Getenv: os.Getenv})
	c.must(err)
	c.must(filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		c.must(err)
		name, err := filepath.Rel(folder, path)
		c.must(err)
		return target.Put(context.Background(), filepath.ToSlash(name), bytes.NewReader(text), int64(len(text)))
	}))
}

func (c *company) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// hindsql runs the program with a machine's own home.
func (c *company) hindsql(machine string, args ...string) string {
	c.t.Helper()
	home := filepath.Join(c.dir, machine)
	c.must(os.MkdirAll(filepath.Join(home, ".claude", "projects"), 0o700))
	c.t.Setenv("HOME", home)
	c.t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	if args[0] == "push" || args[0] == "pull" {
		args = append(args, c.flags...)
	}
	return c.run(filepath.Join(c.bin, "hindsql"), append(args, "--store", filepath.Join(home, "store.duckdb"))...)
}

func (c *company) run(name string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		text := errors.String()
		c.t.Fatalf("%s %v: %v\n%s%s", filepath.Base(name), args, err, out, text[max(0, len(text)-3000):])
	}
	return string(out)
}

// committed commits the pushed rows to the lake, pulls them into a store, and counts in
// the store.
func (c *company) committed() map[string]int64 {
	c.t.Helper()
	c.hindsql("ref", "pull", c.source)
	c.run(filepath.Join(c.bin, "hindsql-lake"), append([]string{"commit", c.source, "--catalog", c.catalog}, c.flags...)...)
	return c.numbers(func(sql string) string { return c.hindsql("ref", "--no-sync", "--format", "json", sql) })
}

// answer is an engine's output for a lake.
type answer struct {
	Numbers map[string]int64
	Files   int // files of table messages, if known to the engine
}

// asked runs an engine on the lake.
func (c *company) asked(engine string, more ...string) (a answer) {
	c.t.Helper()
	out := c.run(filepath.Join(c.bin, "python/bin/python"), append([]string{"testdata/engines.py", engine, c.catalog, c.endpoint, filepath.Join(c.bin, "hindsql-lake")}, more...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &a); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
	return a
}

// grow adds a message of an old day to one of a machine's logs and pushes the log.
func (c *company) grow(machine string) {
	c.t.Helper()
	logs, err := filepath.Glob(filepath.Join(c.dir, machine, ".claude", "projects", "*", "*.jsonl"))
	c.must(err)
	for _, log := range slices.Backward(logs) { // the first project lies on all machines
		text, err := os.ReadFile(log)
		c.must(err)
		for line := range strings.Lines(string(text)) {
			var record map[string]any
			if json.Unmarshal([]byte(line), &record) != nil || record["type"] != "user" || record["toolUseResult"] != nil || record["isMeta"] != nil {
				continue
			}
			record["uuid"], record["parentUuid"] = fmt.Sprintf("00000000-0000-4000-8000-%012d", time.Now().UnixMilli()), record["uuid"]
			more, err := json.Marshal(record)
			c.must(err)
			c.must(os.WriteFile(log, append(text, append(more, '\n')...), 0o600))
			c.hindsql(machine, "push", c.source)
			return
		}
	}
	c.t.Fatalf("%s: no log has a prompt", machine)
}

// numbers returns counts and sums from a hindsql.
func (c *company) numbers(ask func(sql string) string) map[string]int64 {
	want := map[string]int64{}
	for name, columns := range counted {
		parts := []string{"count(*)::BIGINT AS n"}
		for _, column := range columns {
			parts = append(parts, fmt.Sprintf("coalesce(sum(%s), 0)::BIGINT AS %s", column, column))
		}
		var rows []map[string]int64
		out := ask("SELECT " + strings.Join(parts, ", ") + " FROM " + name)
		c.must(json.Unmarshal([]byte(out), &rows))
		for column, n := range rows[0] {
			want[strings.TrimSuffix(name+"."+column, ".n")] = n
		}
	}
	return want
}
