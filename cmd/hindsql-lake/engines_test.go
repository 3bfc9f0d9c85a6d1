package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hindsql/landing"
)

// counted are the tables, and the columns that are summed, as engines.py has them.
var counted = map[string][]string{
	"sessions": {"message_count"}, "messages": {"input_tokens", "output_tokens", "cache_read_tokens"}, "tool_calls": nil, "rejections": nil,
	"interruptions": nil, "compactions": nil, "clears": nil, "prompts": nil, "sources": nil, "problems": nil, "record_kinds": nil,
}

// TestEngines: engines that aren't ours count in a lake what hindsql pull counts
// of the same landing: logs split over three machines, one of them of an older
// version, with a project on all.
func TestEngines(t *testing.T) {
	bin := os.Getenv("HINDSQL_LAKE_TEST")
	if bin == "" {
		t.Skip("engines come from PyPI and Maven: make lake-test")
	}
	l := newCompany(t, bin)
	l.split(os.Getenv("HINDSQL_CORPUS"))
	l.hindsql("ref", "pull", l.source)
	want := l.reference()
	l.run(filepath.Join(bin, "hindsql-lake"), append([]string{"commit", l.source, "--catalog", l.catalog}, l.flags...)...)
	for _, engine := range []string{"pyiceberg", "duckdb", "spark", "clickhouse"} {
		t.Run(engine, func(t *testing.T) {
			out := l.run(filepath.Join(bin, "python/bin/python"), "testdata/engines.py", engine, l.catalog, l.endpoint, filepath.Join(bin, "hindsql-lake"))
			var got struct{ Numbers map[string]int64 }
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			same(t, want, got.Numbers)
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

// company is a bucket, a catalog, and the machines' homes.
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
	// The catalog's Java client doesn't read what the S3 of other tests gives.
	c.serve(c.endpoint+"/moto-api/", exec.Command(filepath.Join(bin, "python/bin/python"), "-m", "moto.server", "-H", "127.0.0.1", "-p", "8182"))
	put, err := http.NewRequest(http.MethodPut, c.endpoint+"/lake", nil)
	c.must(err)
	r, err := http.DefaultClient.Do(put)
	c.must(err)
	c.must(r.Body.Close())
	c.fixture()
	return c
}

// serve starts a server, and waits until it answers.
func (c *company) serve(url string, cmd *exec.Cmd) {
	c.must(cmd.Start())
	c.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 120 {
		if r, err := http.Get(url); err == nil {
			_ = r.Body.Close()
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	c.t.Fatalf("%s: doesn't answer", url)
}

// fixture starts Iceberg's own REST catalog.
func (c *company) fixture() {
	cmd := exec.Command("java", "-Xmx600m", "-cp", filepath.Join(c.bin, "jars", "*"), "org.apache.iceberg.rest.RESTCatalogServer")
	cmd.Env = append(os.Environ(), "CATALOG_WAREHOUSE=s3://lake/warehouse", "CATALOG_IO__IMPL=org.apache.iceberg.aws.s3.S3FileIO", "CATALOG_S3_ENDPOINT="+c.endpoint,
		"CATALOG_S3_PATH__STYLE__ACCESS=true", "CATALOG_CATALOG__IMPL=org.apache.iceberg.jdbc.JdbcCatalog", "CATALOG_URI=jdbc:sqlite:file:"+filepath.Join(c.dir, "catalog.db"),
		"CATALOG_JDBC_USER=u", "CATALOG_JDBC_PASSWORD=p", "CATALOG_JDBC_SCHEMA__VERSION=V1", "CATALOG_REST_PORT=8181")
	c.serve(c.catalog+"/v1/config", cmd)
}

// split pushes a corpus's projects from three machines; the first project lies on
// all of them.
func (c *company) split(corpus string) {
	projects, err := filepath.Glob(filepath.Join(corpus, "home", ".claude", "projects", "*"))
	if err != nil || len(projects) < 3 {
		c.t.Fatalf("%s: no projects of logs there; HINDSQL_CORPUS names a folder that has them", corpus)
	}
	of := map[string]int{} // the machine of a log's name: a log that lies in two folders is of one machine
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

// pushOlder has a machine push as a hindsql did that lacked some columns.
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

// hindsql runs the program with a home of a machine's own.
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

// reference counts in the store that pulled all.
func (c *company) reference() map[string]int64 {
	return c.numbers(func(sql string) string { return c.hindsql("ref", "--no-sync", "--format", "json", sql) })
}

// numbers are the counts and sums that a hindsql gives.
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
