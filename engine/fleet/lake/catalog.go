package lake

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// attached is the catalog's name in DuckDB.
const attached = "hindsql_lake"

// openCatalog returns the tables of an Iceberg REST catalog, read by DuckDB's
// extensions. ?namespace= replaces hindsql's own namespace.
func openCatalog(text string, o Options) (*engine.Lake, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("--lake: %w", err)
	}
	q := u.Query()
	warehouse, namespace := q.Get("warehouse"), cmp.Or(q.Get("namespace"), landing.Namespace)
	u.RawQuery, u.User = "", nil
	l := &engine.Lake{Name: u.String(), Tables: map[string]engine.Landed{}}
	for _, name := range []string{"avro", "httpfs", "iceberg"} {
		statement, err := load(name, o)
		if err != nil {
			return nil, err
		}
		l.Open = append(l.Open, statement)
	}
	login := "AUTHORIZATION_TYPE 'none'"
	if token := o.Getenv("HINDSQL_LAKE_TOKEN"); token != "" {
		login = "TOKEN " + sqltext.Literal(token)
	}
	if secret := keys(o.Getenv); secret != "" {
		l.Open = append(l.Open, secret)
		login += ", ACCESS_DELEGATION_MODE 'none'" // otherwise DuckDB asks the catalog for keys
	}
	l.Open = append(l.Open, fmt.Sprintf("ATTACH %s AS %s (TYPE iceberg, ENDPOINT %s, %s, READ_ONLY)", sqltext.Literal(warehouse), attached, sqltext.Literal(strings.TrimSuffix(u.String(), "/")), login))
	for _, t := range tables.Landed() {
		l.Tables[t.Name] = engine.Landed{From: strings.Join([]string{attached, sqltext.Identifier(namespace + landing.Copies), t.Name}, ".")}
	}
	return l, nil
}

// load returns the statement that loads a DuckDB extension from disk. hindsql downloads
// no extension.
func load(name string, o Options) (string, error) {
	version := engine.DuckDBVersion()
	for _, pattern := range []string{
		filepath.Join(o.Getenv("HINDSQL_EXTENSIONS"), "duckdb_extension_"+name, "extensions", version, name+".duckdb_extension"),
		filepath.Join(o.Home, ".duckdb", "extensions", version, "*", name+".duckdb_extension"),
	} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 && filepath.IsAbs(found[0]) {
			if info, err := os.Stat(found[0]); err == nil && info.Mode().IsRegular() {
				return "LOAD " + sqltext.Literal(found[0]), nil
			}
		}
	}
	number := strings.TrimPrefix(version, "v")
	return "", fmt.Errorf("--lake: DuckDB's extension %s isn't installed, and hindsql fetches none; duckdb -c \"INSTALL %[1]s\" with DuckDB %[2]s installs it, or: pip install --target DIR duckdb-extension-{avro,httpfs,iceberg}==%[2]s, and HINDSQL_EXTENSIONS=DIR", name, number)
}

// keys returns the statement that gives DuckDB the AWS keys of the environment. It is
// empty if the environment has no keys.
func keys(getenv func(string) string) string {
	id, secret := getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY")
	if id == "" || secret == "" {
		return ""
	}
	options := []string{"TYPE s3", "KEY_ID " + sqltext.Literal(id), "SECRET " + sqltext.Literal(secret)}
	if token := getenv("AWS_SESSION_TOKEN"); token != "" {
		options = append(options, "SESSION_TOKEN "+sqltext.Literal(token))
	}
	if region := cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")); region != "" {
		options = append(options, "REGION "+sqltext.Literal(region))
	}
	if endpoint := cmp.Or(getenv("AWS_ENDPOINT_URL_S3"), getenv("AWS_ENDPOINT_URL")); endpoint != "" {
		scheme, host, _ := strings.Cut(endpoint, "://")
		options = append(options, "ENDPOINT "+sqltext.Literal(strings.TrimSuffix(host, "/")), "URL_STYLE 'path'", fmt.Sprintf("USE_SSL %t", scheme != "http"))
	}
	return "CREATE OR REPLACE SECRET hindsql_lake (" + strings.Join(options, ", ") + ")"
}
