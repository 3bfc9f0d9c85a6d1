// Package lake finds the rows of many machines in the folder where machines land rows,
// or in a company's Iceberg tables.
//
// In: the URL of a lake. Out: an [engine.Lake] with the SQL of its relations, and
// warnings about unreadable machines. The package writes nothing and reads no log.
package lake

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Options tell how to reach a lake.
type Options struct {
	Getenv func(string) string
	Home   string // replaces ~, and contains DuckDB's extensions; empty if unknown
}

// Open returns the lake of a URL: a folder that machines push into, or the REST catalog
// of Iceberg tables, http://HOST/PATH?warehouse=NAME. Warnings name machines whose rows
// are left out.
func Open(ctx context.Context, address string, o Options) (l *engine.Lake, warnings []error, err error) {
	scheme, _, ok := strings.Cut(address, "://")
	switch {
	case scheme == "http" || scheme == "https":
		l, err = openCatalog(address, o)
		return l, nil, err
	case ok && scheme != "file":
		return nil, nil, fmt.Errorf("%s: no lake; a folder that machines push into, or the REST catalog of Iceberg tables, https://HOST/PATH?warehouse=NAME; hindsql pull takes the rows of a bucket", address)
	}
	return openFolder(ctx, address, o.Home)
}

// openFolder reads the manifests of a landing in a folder.
func openFolder(ctx context.Context, address, home string) (*engine.Lake, []error, error) {
	target, err := landing.Open(address, landing.Options{Home: home})
	if err != nil {
		return nil, nil, err
	}
	found, err := landing.Machines(ctx, target)
	if err != nil {
		return nil, nil, err
	}
	f := &folder{path: target.URL, files: map[string][]string{}, columns: map[string][]string{}, l: &engine.Lake{Name: target.URL, Tables: map[string]engine.Landed{}}}
	var warnings []error
	for _, m := range found {
		switch {
		case m.Err != nil:
			warnings = append(warnings, fmt.Errorf("machine %s: left out: %w", m.Machine, m.Err))
		case m.Manifest == nil || m.Refused():
		default:
			if err := f.add(m.Manifest); err != nil {
				warnings = append(warnings, fmt.Errorf("machine %s: left out: %w", cmp.Or(m.Manifest.Name, m.Machine), err))
			}
		}
	}
	if f.l.Machines == 0 {
		return nil, warnings, fmt.Errorf("%s: no machine has pushed into it; hindsql push %[1]s on each", address)
	}
	f.relations()
	return f.l, warnings, nil
}

// folder is a landing in a folder, while openFolder reads it.
type folder struct {
	path    string
	files   map[string][]string // by table
	columns map[string][]string // columns by table, from all machines' files
	l       *engine.Lake
}

// add adds a machine's live files. If a file is missing or incomplete, for example
// while the folder is synchronised, add adds none of the machine's files. A part would
// mix old and new rows.
func (f *folder) add(m *landing.Manifest) error {
	prefix, err := landing.Prefix(m.Machine)
	if err != nil {
		return err
	}
	var files []landing.File
	for _, file := range m.Files {
		if file.Beside {
			continue
		}
		info, err := os.Stat(f.place(prefix, file))
		if err != nil || info.Size() != file.Bytes {
			return fmt.Errorf("%s isn't there whole, as its manifest says it is", file.Path)
		}
		files = append(files, file)
	}
	for _, file := range files {
		f.files[file.Table] = append(f.files[file.Table], f.place(prefix, file))
	}
	for _, t := range m.Tables {
		for _, c := range t.Columns {
			if !t.Beside && !slices.Contains(f.columns[t.Name], c.Name) {
				f.columns[t.Name] = append(f.columns[t.Name], c.Name)
			}
		}
	}
	f.l.Machines++
	if at := m.WrittenAt; f.l.At.IsZero() || at.Before(f.l.At) {
		f.l.At = at.In(time.UTC)
	}
	return nil
}

func (f *folder) place(prefix string, file landing.File) string {
	return filepath.Join(f.path, filepath.FromSlash(prefix), filepath.FromSlash(file.Path))
}

// relations fills the lake's tables.
func (f *folder) relations() {
	for _, t := range tables.Pushed() {
		if len(f.files[t.Name]) == 0 {
			continue
		}
		f.l.Tables[t.Name] = engine.Landed{
			From:    landing.ScanSQL(f.files[t.Name]),
			Columns: f.columns[t.Name],
		}
	}
}

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
	for _, t := range tables.Pushed() {
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
