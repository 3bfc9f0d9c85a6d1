package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/cmd/hindsql-lake/resttest"
	"hindsql/engine/fleet/landing"
)

func command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	c := program(func(string) string { return "" })
	c.SetOut(&out)
	c.SetErr(&out)
	c.SetArgs(args)
	err := c.ExecuteContext(context.Background())
	return out.String(), err
}

// TestCommands runs each command as its help describes, on a landing of one machine.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	s := &resttest.Server{Warehouse: "file://" + t.TempDir()}
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	text, err := json.Marshal(landing.Manifest{Version: landing.Version, Machine: "m1", Texts: landing.Redacted})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, landing.Root, "m1")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, landing.ManifestName), text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"commit " + dir + " --catalog " + server.URL, "11 views written\n1 machines, 0 kept as they were, 0 forgotten\n"},
		{"commit " + dir + " --take-over --catalog " + server.URL, "nothing new\n1 machines"},
		{"expire " + dir + " --catalog " + server.URL, "0 snapshots dropped, 0 files of 0 bytes deleted\n"},
		{"views --dialect spark --in lake", "CREATE OR REPLACE VIEW `hindsql`.`messages` AS SELECT"},
		{"compact --dialect trino", "ALTER TABLE lake.hindsql_with_copies.sessions EXECUTE optimize"},
		{"--help", "hindsql-lake commit s3://"},
	} {
		out, err := command(t, strings.Fields(c.args)...)
		if err != nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v\n%s", c.args, err, out)
		}
	}
	for args, want := range map[string]string{
		"commit " + dir: `required flag(s) "catalog" not set`,
		"commit " + dir + " --catalog " + server.URL + " --namespace a.b": "namespace \"a.b\": one name, without dots",
		"commit " + dir + " --catalog " + server.URL + " --property x":    "property \"x\": say NAME=VALUE",
		"commit s3://lake --region x --catalog " + server.URL:             "s3://lake: no keys",
		"views --dialect nobody":                                          "engine \"nobody\": there are spark, trino, duckdb, clickhouse",
	} {
		if _, err := command(t, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}
