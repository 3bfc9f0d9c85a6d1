package enginetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"hindsql/engine"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Import copies the rows of another machine's logs into a store, like the former
// command hindsql import. It copies all tables, under the given host name, without a
// row in pulled.
func Import(t testing.TB, s Face, from, machine, host string) {
	t.Helper()
	Must(t, s.Store.Write(context.Background(), func(w *engine.Writer) error {
		if _, err := w.Exec(context.Background(), "ATTACH "+sqltext.Literal(from)+" AS desk (READ_ONLY)"); err != nil {
			return err
		}
		own := "source_id IN (SELECT source_id FROM desk." + tables.Schema + ".sources WHERE machine = " + sqltext.Literal(machine) + ")"
		for _, table := range tables.Loaded() {
			columns := make([]string, len(table.Columns))
			for i, c := range table.Columns {
				columns[i] = sqltext.Identifier(c.Name)
				value := map[string]string{"host": sqltext.Literal(host), "cost_estimated_usd": "NULL", "is_copy": "false"}[c.Name]
				if value != "" {
					columns[i] = value + " AS " + columns[i]
				}
			}
			query := fmt.Sprintf("INSERT INTO %s.%s BY NAME SELECT %s FROM desk.%s.%[2]s WHERE %[5]s", engine.StoreSchema, table.Name, strings.Join(columns, ", "), tables.Schema, own)
			if _, err := w.Exec(context.Background(), query); err != nil {
				return fmt.Errorf("%s: %w", table.Name, err)
			}
		}
		ids, err := w.Sources(context.Background(), "machine = "+sqltext.Literal(machine))
		if err != nil {
			return err
		}
		return w.Link(context.Background(), ids)
	}))
}
