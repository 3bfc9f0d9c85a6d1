// Package lake maintains Iceberg tables with the landed rows of all machines. One
// committer (a run of hindsql-lake) serves all machines.
//
// In: a landing, and an Iceberg REST catalog. A landing is a folder or bucket to which
// machines push their rows as files; a manifest for each machine names its files, and a
// tombstone asks to delete them. The files stay in place. Out: tables with all rows in
// one namespace, and views with each row once in another. The package opens no
// database, and reads rows only after another engine rewrote the files.
package lake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	"github.com/apache/iceberg-go/io"
	_ "github.com/apache/iceberg-go/io/gocloud/s3" // lets iceberg-go read buckets
	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// Config locates the landing and the tables.
type Config struct {
	Source     string            // access to the landing's bucket
	Landing    landing.Options   // how its bucket is reached
	Catalog    string            // URL of the REST catalog
	Warehouse  string            // warehouse of the catalog; empty for the catalog's default
	Namespace  string            // namespace of the views
	In         string            // Trino's name of the catalog, which Trino's views must contain
	Properties map[string]string // for the catalog and its files, with Iceberg's names
	Plain      bool              // accepts files with unredacted texts
	Owner      string            // name of the committer, for people
	Print      func(string)      // receives messages for people; nil for silence
	Now        func() time.Time  // nil for the system clock
}

// Lake is an open landing and its tables.
type Lake struct {
	Config
	target  *landing.Target
	catalog *rest.Catalog
	renewed time.Time // when the lease was written last
}

// Open connects to the landing and the catalog.
func Open(ctx context.Context, c Config) (*Lake, error) {
	if c.Namespace == "" || strings.ContainsAny(c.Namespace, ".\x1f/") {
		return nil, fmt.Errorf("namespace %q: one name, without dots", c.Namespace)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Print == nil {
		c.Print = func(string) {}
	}
	target, err := landing.Open(c.Source, c.Landing)
	if err != nil {
		return nil, err
	}
	options := []rest.Option{rest.WithAdditionalProps(iceberg.Properties(c.properties()))}
	if c.Warehouse != "" {
		options = append(options, rest.WithWarehouseLocation(c.Warehouse))
	}
	if token := c.Properties["token"]; token != "" {
		options = append(options, rest.WithOAuthToken(token))
	}
	if credential := c.Properties["credential"]; credential != "" {
		options = append(options, rest.WithCredential(credential))
	}
	if scope := c.Properties["scope"]; scope != "" {
		options = append(options, rest.WithScope(scope))
	}
	// iceberg-go writes the catalog's name into views, and engines look for tables in
	// the named catalog. With an empty name, engines use the view's own catalog.
	cat, err := rest.NewCatalog(ctx, "", c.Catalog, options...)
	if err != nil {
		return nil, fmt.Errorf("catalog %s: %w", c.Catalog, err)
	}
	return &Lake{Config: c, target: target, catalog: cat}, nil
}

// properties returns the file access properties: a bucket uses the landing's access.
func (c *Config) properties() map[string]string {
	p := map[string]string{}
	if c.Landing.Region != "" {
		p[io.S3Region] = c.Landing.Region
	}
	if c.Landing.Endpoint != "" {
		p[io.S3EndpointURL] = c.Landing.Endpoint
		p[io.S3ForceVirtualAddressing] = "false"
	}
	if env := c.Landing.Getenv; env != nil && env("AWS_ACCESS_KEY_ID") != "" {
		p[io.S3AccessKeyID], p[io.S3SecretAccessKey] = env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY")
		if token := env("AWS_SESSION_TOKEN"); token != "" {
			p[io.S3SessionToken] = token
		}
	}
	maps.Copy(p, c.Properties)
	return p
}

func (l *Lake) printf(format string, args ...any) { l.Print(fmt.Sprintf(format, args...)) }

// tablesOf returns the namespace of the tables. The views are in Config.Namespace.
func (l *Lake) tablesOf() string { return l.Namespace + landing.Copies }

func (l *Lake) ident(name string) table.Identifier { return table.Identifier{l.tablesOf(), name} }

// place returns the URL of a landed file for engines.
func (l *Lake) place(name string) string {
	url := strings.TrimSuffix(l.target.URL, "/")
	if l.target.Folder != "" {
		url = "file://" + url
	}
	return url + "/" + name
}

// load returns a table, nil if the table doesn't exist.
func (l *Lake) load(ctx context.Context, name string) (*table.Table, error) {
	t, err := l.catalog.LoadTable(ctx, l.ident(name))
	if errors.Is(err, catalog.ErrNoSuchTable) || errors.Is(err, catalog.ErrNoSuchNamespace) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	return t, nil
}

// names lists the existing tables.
func (l *Lake) names(ctx context.Context) (names []string, err error) {
	for id, err := range l.catalog.ListTables(ctx, table.Identifier{l.tablesOf()}) {
		if errors.Is(err, catalog.ErrNoSuchNamespace) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("namespace %s: %w", l.tablesOf(), err)
		}
		names = append(names, id[len(id)-1])
	}
	return names, nil
}

// namespaces creates missing namespaces.
func (l *Lake) namespaces(ctx context.Context) error {
	for _, name := range []string{l.tablesOf(), l.Namespace} {
		there, err := l.catalog.CheckNamespaceExists(ctx, table.Identifier{name})
		if err == nil && !there {
			err = l.catalog.CreateNamespace(ctx, table.Identifier{name}, nil)
		}
		if err != nil && !errors.Is(err, catalog.ErrNamespaceAlreadyExists) {
			return fmt.Errorf("namespace %s: %w", name, err)
		}
	}
	return nil
}

// remove deletes a table's file. A missing file is no error.
func remove(files io.IO, url string) error {
	err := files.Remove(url)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
