// Package lake keeps Iceberg tables of what machines have landed: one committer
// for all of them.
//
// In: a landing, whose files stay where machines put them, and an Iceberg REST
// catalog. Out: tables of all rows in one namespace, and in another views of
// them, in which each row stands once. The package opens no database, and reads
// rows only where another engine has rewritten the files that held them.
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
	_ "github.com/apache/iceberg-go/io/gocloud/s3" // how iceberg-go reaches buckets
	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// Config says where the landing and the tables are.
type Config struct {
	Source     string            // URL of the landing, see landing.Open
	Landing    landing.Options   // how its bucket is reached
	Catalog    string            // URL of the REST catalog
	Warehouse  string            // of the catalog; empty for its own
	Namespace  string            // of the views
	In         string            // the catalog, as Trino names it: its views have to say so
	Properties map[string]string // for the catalog and its files, as Iceberg's programs name them
	Plain      bool              // takes files whose texts aren't redacted
	Owner      string            // who commits, for people
	Say        func(string)      // told what a person should know; nil for nobody
	Now        func() time.Time  // nil for the clock
}

// Lake is an open landing with its tables.
type Lake struct {
	Config
	target  *landing.Target
	catalog *rest.Catalog
	lease   *lease
}

// Open reaches the landing and the catalog.
func Open(ctx context.Context, c Config) (*Lake, error) {
	if c.Namespace == "" || strings.ContainsAny(c.Namespace, ".\x1f/") {
		return nil, fmt.Errorf("namespace %q: one name, without dots", c.Namespace)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Say == nil {
		c.Say = func(string) {}
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
	// iceberg-go writes the catalog's name into views, in which engines look for
	// tables there: without one they take the catalog that has the view, whatever
	// they call it.
	cat, err := rest.NewCatalog(ctx, "", c.Catalog, options...)
	if err != nil {
		return nil, fmt.Errorf("catalog %s: %w", c.Catalog, err)
	}
	return &Lake{Config: c, target: target, catalog: cat, lease: newLease(c)}, nil
}

// properties are those of the files: a bucket is reached as the landing is.
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

func (l *Lake) say(format string, args ...any) { l.Say(fmt.Sprintf(format, args...)) }

// tablesOf is the namespace of the tables; views have that of the Config.
func (l *Lake) tablesOf() string { return l.Namespace + landing.Copies }

func (l *Lake) ident(name string) table.Identifier { return table.Identifier{l.tablesOf(), name} }

// place is the URL under which engines find a file of the landing.
func (l *Lake) place(name string) string {
	url := strings.TrimSuffix(l.target.URL, "/")
	if l.target.Folder != "" {
		url = "file://" + url
	}
	return url + "/" + name
}

// load gives a table, nil where there is none.
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

// names lists the tables that there are.
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

// namespaces makes those that aren't there.
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

// remove removes a file of a table; one that isn't there is no error.
func remove(files io.IO, url string) error {
	err := files.Remove(url)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
