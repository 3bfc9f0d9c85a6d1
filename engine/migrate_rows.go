package engine

import (
	"context"
	"fmt"
	"strings"

	"hindsql/engine/forget"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// oldStore is a store of another build, from which rows are carried over.
type oldStore struct {
	schema string // of the store's tables
	id     string // SQL of the new id for a source_id that isn't in the table renewed
	renews bool   // some sources get a new id, or a machine: see migrate_machine.go
}

// The first stores kept their tables in main, and gave sources ids of 63 bits,
// of which the upper 53 are the id now.
const (
	firstSchema = "main"
	firstID     = "source_id >> 10"
)

// carrier brings rows of an old store, attached as old, into a new one.
type carrier struct{ l *loader }

// old describes the attached old store.
func (c *carrier) old(ctx context.Context) (oldStore, error) {
	o := oldStore{schema: tables.Schema, id: "source_id"}
	var first bool
	query := "SELECT count(*) > 0 FROM duckdb_tables() WHERE database_name = 'old' AND table_name = 'store_info' AND schema_name = " + sqltext.Literal(firstSchema)
	if err := c.l.conn.QueryRowContext(ctx, query).Scan(&first); err != nil {
		return o, err
	}
	if first {
		o = oldStore{schema: firstSchema, id: firstID}
	}
	return o, nil
}

// carryOver copies the rows of sources that weren't loaded, in the columns that both
// builds know.
func (c *carrier) carryOver(ctx context.Context) error {
	o, err := c.old(ctx)
	if err != nil {
		return err
	}
	if err := c.renew(ctx, &o); err != nil {
		return err
	}
	if err := c.l.exec(ctx, "CREATE OR REPLACE TEMP TABLE were_here AS SELECT source_id FROM sources"); err != nil {
		return err
	}
	for _, t := range tables.Loaded() {
		if t.Name == "sources" || t == tables.ForgottenLogs() { // the one comes last, the other is of logs that are there
			continue
		}
		if err := c.carryTable(ctx, o, t); err != nil {
			return err
		}
	}
	if err := c.l.exec(ctx, "INSERT INTO pending_links FROM ("+o.rowsOf("sources", o.newID()+" AS source_id")+")"); err != nil {
		return err
	}
	if err := c.carryTable(ctx, o, tables.Sources()); err != nil {
		return err
	}
	return forget.LeaveOut(ctx, c.l.conn, c.l.at(), "SELECT source_id FROM sources WHERE source_id NOT IN (FROM were_here)")
}

// rowsOf is the query for a table's rows whose source wasn't loaded.
func (o oldStore) rowsOf(table, columns string) string {
	return fmt.Sprintf("SELECT %s FROM old.%s.%s AS t %s WHERE %s NOT IN (SELECT source_id FROM sources UNION ALL SELECT source_id FROM forgotten_logs)", columns, o.schema, table, o.joined(), o.newID())
}

func (c *carrier) carryTable(ctx context.Context, o oldStore, t *tables.Table) error {
	had, err := c.columns(ctx, o.schema, t.Name)
	if err != nil {
		return err
	}
	if !had["source_id"] {
		return nil
	}
	var both []string
	for _, c := range t.Columns {
		value, known := tables.SoundSQL(t.Name, c.Name, o.value(c.Name)), had[c.Name] || c.Name == "is_inferred"
		if !known {
			value, known = workedOut[t.Name+"."+c.Name]
		}
		if !known && o.renews && tables.IsOrigin(c.Name) {
			value, known = "renewed_"+c.Name, true
		}
		if known {
			// A value that the column's new type doesn't take must not end every load.
			both = append(both, fmt.Sprintf("TRY_CAST(%s AS %s) AS %s", strings.ReplaceAll(value, "{old}", "old."+o.schema), c.Type, sqltext.Identifier(c.Name)))
		}
	}
	return c.l.exec(ctx, fmt.Sprintf("INSERT INTO %s BY NAME %s", t.Name, o.rowsOf(t.Name, strings.Join(both, ", "))))
}

// workedOut is the SQL that computes columns missing in older builds from older
// columns. The logs are gone, and can't be read again.
var workedOut = map[string]string{
	"sessions.is_copy":    "false",
	"prompts.is_copy":     "false",
	"messages.typed_by":   "CASE WHEN kind IN ('prompt', 'command') THEN 'human' END",
	"tool_calls.decision": "CASE WHEN status IN ('rejected', 'denied') THEN 'refused' END",
	"tool_calls.decided_by": `CASE WHEN status IN ('rejected', 'denied') THEN (SELECT any_value(r.decided_by) FROM {old}.rejections r
		WHERE r.agent = t.agent AND r.session_id = t.session_id AND r.tool_use_id = t.tool_use_id) END`,
	"tool_calls.decision_confidence": `CASE WHEN status IN ('rejected', 'denied') THEN (SELECT max(r.confidence) FROM {old}.rejections r
		WHERE r.agent = t.agent AND r.session_id = t.session_id AND r.tool_use_id = t.tool_use_id) END`,
	"sessions.about": `left(trim(regexp_replace(coalesce(title, (SELECT arg_min(m.text, m.message_index) FROM {old}.messages m
		WHERE m.agent = t.agent AND m.session_id = t.session_id AND m.kind = 'prompt')), '\s+', ' ', 'g')), 120)`,
}

// value is the SQL of a column's value in the new store.
func (o oldStore) value(column string) string {
	switch {
	case column == "source_id":
		return o.newID()
	case column == "is_inferred":
		return tables.GuessSQL("evidence", "confidence")
	case column == "session_id" && o.newID() != "source_id":
		return tables.Renumbered("session_id", "source_id", o.newID())
	case (column == "title_from" || column == "project_from") && o.renews:
		return fmt.Sprintf("coalesce((SELECT renewed_id FROM renewed r WHERE r.was_id = t.%[1]s), t.%[1]s)", column)
	}
	return column
}

// columns returns the columns of an old store's table; empty if the table is missing.
func (c *carrier) columns(ctx context.Context, schema, table string) (map[string]bool, error) {
	const query = "SELECT column_name FROM duckdb_columns() WHERE database_name = 'old' AND schema_name = ? AND table_name = ?"
	list, err := oneColumn[string](ctx, c.l.conn, query, schema, table)
	names := map[string]bool{}
	for _, name := range list {
		names[name] = true
	}
	return names, err
}
