package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/engine/forget"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// carryOver copies the rows of sources that weren't loaded from the store attached as
// old, in the columns that both builds know.
func carryOver(ctx context.Context, l *loader) error {
	if err := l.exec(ctx, "CREATE OR REPLACE TEMP TABLE were_here AS SELECT source_id FROM sources"); err != nil {
		return err
	}
	for _, t := range tables.Loaded() {
		if t.Name == "sources" || t == tables.ForgottenLogs() { // sources comes last; forgotten_logs is about existing logs
			continue
		}
		if err := carryTable(ctx, l, t); err != nil {
			return err
		}
	}
	if err := l.exec(ctx, "INSERT INTO pending_links "+carriedRows("sources", "source_id")); err != nil {
		return err
	}
	if err := carryTable(ctx, l, tables.Sources()); err != nil {
		return err
	}
	return forget.LeaveOut(ctx, l.conn, l.at(), "SELECT source_id FROM sources WHERE source_id NOT IN (FROM were_here)")
}

// carriedRows is the query for a table's rows whose source wasn't loaded.
func carriedRows(table, columns string) string {
	return fmt.Sprintf("SELECT %s FROM old.%s.%s WHERE source_id NOT IN (SELECT source_id FROM sources UNION ALL SELECT source_id FROM forgotten_logs)", columns, tables.Schema, table)
}

func carryTable(ctx context.Context, l *loader, t *tables.Table) error {
	had, err := storedColumns(ctx, l, "old", t.Name)
	if err != nil || !slices.Contains(had, "source_id") {
		return err
	}
	var both []string
	for _, c := range t.Columns {
		if slices.Contains(had, c.Name) {
			// A value that the column's new type doesn't take must not end every load.
			both = append(both, fmt.Sprintf("TRY_CAST(%s AS %s) AS %s", tables.SoundSQL(t.Name, c.Name, sqltext.Identifier(c.Name)), c.Type, sqltext.Identifier(c.Name)))
		}
	}
	return l.exec(ctx, fmt.Sprintf("INSERT INTO %s BY NAME %s", t.Name, carriedRows(t.Name, strings.Join(both, ", "))))
}

// storedColumns returns the columns of a table in an attached store; empty if the table is
// missing.
func storedColumns(ctx context.Context, l *loader, database, table string) ([]string, error) {
	return oneColumn[string](ctx, l.conn, "SELECT column_name FROM duckdb_columns() WHERE database_name = ? AND schema_name = ? AND table_name = ? ORDER BY column_index", database, tables.Schema, table)
}
