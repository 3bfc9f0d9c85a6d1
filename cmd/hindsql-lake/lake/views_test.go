package lake

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/iceberg-go/table"

	"hindsql/tables"
)

// TestViews: one view for each table is written once, for engines with views in the
// catalog. A catalog without views is no error.
func TestViews(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "one"))
	if r := w.commit(); len(r.Views) != len(tables.Pushed()) {
		t.Errorf("%v", r.Views)
	}
	w.config.In = "company"
	if r := w.commit(); len(r.Views) != len(tables.Pushed()) {
		t.Errorf("%v", r.Views) // Trino finds no table if a view doesn't name its catalog
	}
	v, err := w.open().catalog.LoadView(context.Background(), table.Identifier{"hindsql", "messages"})
	w.must(err)
	if in := v.CurrentVersion().DefaultCatalog; in != "" {
		t.Errorf("engines look for tables in catalog %q", in)
	}
	for _, r := range v.CurrentVersion().Representations {
		from := map[string]string{"spark": "FROM `hindsql_with_copies`.`messages`", "trino": `FROM "company"."hindsql_with_copies"."messages"`}[r.Dialect]
		if !strings.Contains(r.Sql, from) {
			t.Errorf("%s: %s", r.Dialect, r.Sql)
		}
	}
	w.rest.NoViews = true
	if r := w.commit(); len(r.Views) != 0 {
		t.Errorf("%v", r.Views)
	}
	if _, err := Statements("nobody", "", "hindsql", "hindsql"); err == nil {
		t.Error("an engine that nobody knows has views")
	}
}

// TestCompactions checks one statement for each table, limited to old days if the table
// has days.
func TestCompactions(t *testing.T) {
	for engine, want := range map[string]string{
		"spark": "CALL lake.system.rewrite_data_files(table => 'hindsql_with_copies.messages', options => map('min-input-files', '2'), where => 'timestamp < current_date() - INTERVAL 1 DAY')",
		"trino": "ALTER TABLE lake.hindsql_with_copies.messages EXECUTE optimize(file_size_threshold => '128MB') WHERE timestamp < date_trunc('day', current_timestamp AT TIME ZONE 'UTC') - INTERVAL '1' DAY",
	} {
		list, err := Compactions(engine, "lake", "hindsql")
		if err != nil || len(list) != len(tables.Pushed()) || list[1] != want {
			t.Errorf("%s: %v %q", engine, err, list)
		}
	}
}
