package lake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/view"

	"hindsql/engine/fleet/landing"
	"hindsql/tables"
)

// dialect describes an engine's SQL for views.
type dialect struct {
	name         string
	quote        string // quote character for names
	create       string // format for the name and the query
	in           bool   // namespace and table are quoted as one name
	needsCatalog bool   // a stored view must name the catalog; otherwise the engine doesn't find the tables
}

var dialects = []dialect{
	{name: "spark", quote: "`", create: "CREATE OR REPLACE VIEW %s AS %s"},
	{name: "trino", quote: `"`, create: "CREATE OR REPLACE VIEW %s SECURITY INVOKER AS %s", needsCatalog: true},
	{name: "duckdb", quote: `"`, create: "CREATE OR REPLACE VIEW %s AS %s"},
	{name: "clickhouse", quote: "`", create: "CREATE OR REPLACE VIEW %s AS %s", in: true},
}

// stored lists the dialects stored in a REST catalog's views. The other engines keep
// views in their own catalogs.
var stored = []string{"spark", "trino"}

// Dialects lists the engines that Statements knows.
func Dialects() (names []string) {
	for _, d := range dialects {
		names = append(names, d.name)
	}
	return names
}

func (d dialect) quoted(name string) string { return d.quote + name + d.quote }

// table returns the quoted name of a table in a namespace, with the catalog if given.
func (d dialect) table(cat, namespace, name string) string {
	parts := []string{namespace, name}
	if d.in {
		parts = []string{namespace + "." + name}
	}
	if cat != "" {
		parts = append([]string{cat}, parts...)
	}
	for i, p := range parts {
		parts[i] = d.quoted(p)
	}
	return strings.Join(parts, ".")
}

// query selects each row of a table once.
func (d dialect) query(cat, namespace string, t *tables.Table) string {
	return t.DistinctSQL(d.table(cat, namespace+landing.Copies, t.Name), d.quoted)
}

// Statements returns the statements that create an engine's views in a namespace, for a
// catalog without views. cat is the engine's name of the tables' catalog; empty for the
// engine's current one.
func Statements(engine, cat, namespace, into string) (list []string, err error) {
	i := slices.IndexFunc(dialects, func(d dialect) bool { return d.name == engine })
	if i < 0 {
		return nil, fmt.Errorf("engine %q: there are %s", engine, strings.Join(Dialects(), ", "))
	}
	d := dialects[i]
	for _, t := range tables.Pushed() {
		name := d.quoted(into) + "." + d.quoted(t.Name)
		list = append(list, fmt.Sprintf(d.create, name, d.query(cat, namespace, t)))
	}
	return list, nil
}

// views updates the catalog's views to this build's, and lists the written ones. If the
// catalog supports no views, views reports that once and returns no error.
func (l *Lake) views(ctx context.Context) (written []string, err error) {
	for _, t := range tables.Pushed() {
		done, err := l.view(ctx, t)
		if errors.Is(err, rest.ErrEndpointNotSupported) {
			l.printf("catalog %s: it has no views; hindsql-lake views --dialect prints them for an engine's own", l.Catalog)
			return written, nil
		}
		if err != nil {
			return written, fmt.Errorf("view %s: %w", t.Name, err)
		}
		if done {
			written = append(written, t.Name)
		}
	}
	return written, nil
}

func (l *Lake) view(ctx context.Context, t *tables.Table) (bool, error) {
	id := table.Identifier{l.Namespace, t.Name}
	schema, err := viewSchema(t)
	if err != nil {
		return false, err
	}
	old, err := l.catalog.LoadView(ctx, id)
	if errors.Is(err, catalog.ErrNoSuchView) {
		version, err := l.version(1, t)
		if err == nil {
			_, err = l.catalog.CreateView(ctx, id, version, schema, catalog.WithViewProperties(iceberg.Properties{"comment": t.Doc}))
		}
		return err == nil, err
	}
	if err != nil || l.same(old, t) {
		return false, err
	}
	version, err := l.version(old.Metadata().CurrentVersionID()+1, t)
	if err != nil {
		return false, err
	}
	build, err := view.MetadataBuilderFromBase(old.Metadata())
	if err != nil {
		return false, err
	}
	result, err := build.SetCurrentVersion(version, schema).Build()
	if err != nil {
		return false, err
	}
	_, err = l.catalog.UpdateView(ctx, id, []view.Requirement{view.AssertViewUUID(old.Metadata().ViewUUID())}, result.Changes)
	return err == nil, err
}

// representations returns the view's queries, one for each stored dialect.
func (l *Lake) representations(t *tables.Table) (list view.Representations) {
	for _, d := range dialects {
		cat := ""
		if d.needsCatalog {
			cat = l.In
		}
		if slices.Contains(stored, d.name) {
			list = append(list, view.NewRepresentation(d.query(cat, l.Namespace, t), d.name))
		}
	}
	return list
}

func (l *Lake) version(id int64, t *tables.Table) (*view.Version, error) {
	return view.NewVersion(id, 0, l.representations(t), table.Identifier{l.Namespace})
}

func (l *Lake) same(v *view.View, t *tables.Table) bool {
	now := v.CurrentVersion()
	return now.DefaultCatalog == "" && slices.Equal(now.Representations, l.representations(t))
}

func viewSchema(t *tables.Table) (*iceberg.Schema, error) { return schemaOf(known()[t.Name].columns) }

// Compactions returns the statements by which an engine joins small files of the days
// before yesterday. cat is the engine's name of the catalog.
func Compactions(engine, cat, namespace string) (list []string, err error) {
	for _, t := range tables.Pushed() {
		w := known()[t.Name]
		switch engine {
		case "spark":
			list = append(list, sparkCompaction(cat, namespace+landing.Copies+"."+t.Name, w.time))
		case "trino":
			list = append(list, trinoCompaction(cat, namespace+landing.Copies, t.Name, w.time))
		default:
			return nil, fmt.Errorf("engine %q: there are spark, trino", engine)
		}
	}
	return list, nil
}

func sparkCompaction(cat, name, column string) string {
	where := ""
	if column != "" {
		where = fmt.Sprintf(", where => '%s < current_date() - INTERVAL 1 DAY'", column)
	}
	return fmt.Sprintf("CALL %s.system.rewrite_data_files(table => '%s', options => map('min-input-files', '2')%s)", cat, name, where)
}

// trinoCompaction compares with a day that begins in UTC, like the table's partitions,
// whatever the session's time zone: Trino joins only whole partitions.
func trinoCompaction(cat, namespace, name, column string) string {
	where := ""
	if column != "" {
		where = fmt.Sprintf(" WHERE %s < date_trunc('day', current_timestamp AT TIME ZONE 'UTC') - INTERVAL '1' DAY", column)
	}
	return fmt.Sprintf("ALTER TABLE %s.%s.%s EXECUTE optimize(file_size_threshold => '128MB')%s", cat, namespace, name, where)
}
