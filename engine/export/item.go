package export

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"hindsql/engine"
	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// item is a table, or another unit that is exported like a table.
type item struct {
	name      string // of the file without extension, or of the folder; slash-separated
	extension string
	keys      []string // columns for partitions; empty for one file
	each      string   // instead of keys: SQL of a row's file, relative to the folder
	rows      string   // SELECT of the stored rows, to detect changes
	counted   string   // SQL of the number of rows in a partition; empty to count all rows
	options   recorded
	copy      func(ctx context.Context, path, where string) error
	left      []LeftOut // logs that couldn't be exported
}

// partition returns the SQL of a row's partition: its folder as named by DuckDB, or its
// file.
func (i *item) partition() string {
	if i.each != "" {
		return i.each
	}
	if len(i.keys) == 0 {
		return "''"
	}
	return lists.Join(i.keys, " || '/' || ", func(key string) string {
		return fmt.Sprintf("'%s=' || coalesce(url_encode(CAST(%s AS VARCHAR)), '__HIVE_DEFAULT_PARTITION__')", key, sqltext.Identifier(key))
	})
}

func (i *item) isPartitioned() bool { return len(i.keys) > 0 || i.each != "" }

// write writes the rows of the given partitions to a file, or to a folder if the item
// is partitioned. nil means all partitions.
func (i *item) write(ctx context.Context, path string, partitions []string) error {
	where := ""
	if partitions != nil {
		where = fmt.Sprintf(" WHERE %s IN (%s)", i.partition(), sqltext.Literals(partitions))
	}
	if err := i.copy(ctx, path, where); err != nil {
		return fmt.Errorf("%s: %w", i.name, err)
	}
	return nil
}

// fingerprint returns each partition's number of rows and hash. The hash is the sum of
// the rows' hashes: it changes with any column, and doesn't depend on the order.
func (e *exporting) fingerprint(ctx context.Context, it *item) (map[string]*exportedPartition, error) {
	found := map[string]*exportedPartition{}
	query := fmt.Sprintf("SELECT %s AS p, %s, coalesce(sum(hash(r)::HUGEINT), 0)::VARCHAR FROM (%s) AS r GROUP BY p",
		it.partition(), cmp.Or(it.counted, "count(*)"), it.rows)
	err := e.reading.Each(ctx, query, func(scan func(...any) error) error {
		var path string
		p := &exportedPartition{}
		err := scan(&path, &p.Rows, &p.Hash)
		found[path] = p
		return err
	})
	if len(found) == 0 && it.each == "" {
		it.keys = nil // an empty file still tells readers the columns; an empty folder doesn't
		found[""] = &exportedPartition{Hash: "0"}
	}
	return found, err
}

func rowsIn(partitions map[string]*exportedPartition) (n int64) {
	for _, p := range partitions {
		n += p.Rows
	}
	return n
}

// items returns the items that the options choose.
func (e *exporting) items(ctx context.Context) ([]*item, error) {
	switch f, _ := formatOf(e.Format); {
	case f.item != nil:
		it, err := f.item(ctx, e)
		return []*item{it}, err
	case e.Query != nil:
		it, err := e.queryItem(ctx)
		return []*item{it}, err
	}
	zone, err := e.zone(ctx)
	if err != nil {
		return nil, err
	}
	items := lists.Map(e.tables(), func(t exportTable) *item { return e.tableItem(t, zone) })
	for _, name := range e.Tables {
		if !slices.ContainsFunc(items, func(i *item) bool { return i.name == itemOf(name) }) {
			return nil, fmt.Errorf("table %q: unknown", name)
		}
	}
	return items, nil
}

func (o *Options) checkKeys(columns []string, known string) error {
	for _, key := range o.PartitionBy {
		if !slices.Contains(columns, key) {
			return fmt.Errorf("partition by %s: unknown; one may partition by %s", key, known)
		}
	}
	return nil
}

// tables returns the tables to export.
func (o *Options) tables() (list []exportTable) {
	isOfAll := len(o.Agents) == 0 && o.Project+o.Since.Text+o.Until.Text == ""
	for _, v := range tables.Views() {
		// Table projects counts all rows, so it doesn't belong to an export of some
		// rows.
		isPlain := !v.ShowsCopies() && (v.Name != "projects" || isOfAll)
		if slices.Contains(o.Tables, v.Name) || len(o.Tables) == 0 && isPlain {
			list = append(list, exportTable{Table: v, name: itemOf(v.Name), from: engine.StoredView(v)})
		}
	}
	return list
}

// itemOf returns the item name for a table name.
func itemOf(name string) string { return strings.ReplaceAll(name, ".", "/") }

// exportTable is a table to export.
type exportTable struct {
	*tables.Table
	name string // of its file or folder; slash-separated
	from string // SQL of its rows in the store
}

// zone returns the session's time zone, in which days begin.
func (e *exporting) zone(ctx context.Context) (zone string, err error) {
	err = e.reading.Each(ctx, "SELECT current_setting('TimeZone')", func(scan func(...any) error) error { return scan(&zone) })
	return zone, err
}

// unifiedBytes is the amount of text in one statement's session objects. It limits the
// export's memory, except for larger sessions.
const unifiedBytes = 8 << 20

// part is a member of the unified object with a table's rows. first lists the columns
// that readers rely on; they come first in each row.
type part struct {
	table string
	order string
	first []string
}

// unifiedParts are the tables of the object. The two large tables come first.
var unifiedParts = []part{
	{"messages", "message_index", nil},
	{"tool_calls", "message_index, batch_index", nil},
	{"compactions", "after_message_index", []string{"after_message_index", "uuid", "trigger", "pre_tokens", "summary", "replaced_message_indices"}},
	{"clears", "timestamp, next_session_id", []string{"after_message_index", "timestamp"}},
	{"interruptions", "message_index, timestamp", []string{"message_index", "interrupted_message_index", "prompt_index", "timestamp", "type"}},
	{"rejections", "message_index, timestamp, tool_use_id", []string{"message_index", "tool_use_id", "tool_name", "reason", "timestamp"}},
}

// unifiedItem exports the unified session objects, one JSON object a line.
func unifiedItem(_ context.Context, e *exporting) (*item, error) {
	it := &item{name: "sessions.jsonl", options: e.record("UTC"), rows: e.unifiedRows(), counted: "CAST(sum(n) AS BIGINT)"}
	it.copy = func(ctx context.Context, path, _ string) error {
		return writeFile(path, func(w *bufio.Writer) error {
			return e.eachObject(ctx, func(object string) error {
				w.WriteString(object)
				return w.WriteByte('\n')
			})
		})
	}
	return it, nil
}

// writeFile writes a file through a buffer.
func writeFile(path string, write func(*bufio.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// unifiedRows returns the SQL of rows whose hashes change with any object: one row per
// session, and one per row of the session's parts.
func (o *Options) unifiedRows() string {
	list := []string{"SELECT 1 AS n, hash(t) AS h, agent, session_id FROM (" + o.unifiedSessions() + ") AS t"}
	for _, p := range unifiedParts {
		list = append(list, fmt.Sprintf("SELECT 0, hash(t), agent, session_id FROM %s.%s AS t SEMI JOIN (%s) AS u USING (agent, session_id)", engine.StoreSchema, p.table, o.unifiedSessions()))
	}
	return strings.Join(list, " UNION ALL ")
}

// unifiedSessions returns the SQL of the wanted sessions.
func (o *Options) unifiedSessions() string {
	sql := tableQuery{*o, exportTable{Table: tables.Named("sessions"), from: "(FROM " + engine.StoreSchema + ".sessions WHERE NOT is_copy)"}, ""}.sql("*")
	if len(o.Sessions) > 0 {
		sql = "SELECT * FROM (" + sql + ") WHERE session_id IN (" + sqltext.Literals(o.Sessions) + ")"
	}
	return sql
}

// eachObject calls visit for the wanted sessions. Sessions come in the order of their
// rows in the store, in batches of limited text, so each statement reads only a part of
// the large tables.
func (e *exporting) eachObject(ctx context.Context, visit func(object string) error) error {
	if err := e.reading.Exec(ctx, fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE hindsql_unified AS
		SELECT u.agent, u.session_id, row_number() OVER w AS place,
			CAST(floor(sum(coalesce(m.bytes, 0)) OVER w / %d) AS BIGINT) AS batch
		FROM (%s) AS u LEFT JOIN (%s) AS m USING (agent, session_id)
		WINDOW w AS (ORDER BY m.first, u.agent, u.session_id ROWS UNBOUNDED PRECEDING)`, unifiedBytes, e.unifiedSessions(), sessionBytes)); err != nil {
		return err
	}
	defer func() { _ = e.reading.Exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS hindsql_unified") }()
	return e.eachInBatches(ctx, visit)
}

// sessionBytes is the SQL of the size of each session's texts, and of its first row.
const sessionBytes = `SELECT agent, session_id, sum(bytes) AS bytes, min(first) AS first FROM (
	SELECT agent, session_id, coalesce(strlen(text), 0) + coalesce(strlen(thinking), 0) + 500 AS bytes, rowid AS first FROM ` + engine.StoreSchema + `.messages
	UNION ALL SELECT agent, session_id, coalesce(strlen(input), 0) + coalesce(strlen(output), 0) + 500, NULL FROM ` + engine.StoreSchema + `.tool_calls) GROUP BY ALL`

// batchRanges is the SQL of each batch's first and last rows in the large tables.
const batchRanges = `SELECT b.batch, coalesce(any_value(m.low), 0), coalesce(any_value(m.high), -1), coalesce(any_value(c.low), 0), coalesce(any_value(c.high), -1)
	FROM hindsql_unified AS b
	LEFT JOIN (SELECT batch, min(t.rowid) AS low, max(t.rowid) AS high FROM ` + engine.StoreSchema + `.messages AS t JOIN hindsql_unified USING (agent, session_id) GROUP BY batch) AS m USING (batch)
	LEFT JOIN (SELECT batch, min(t.rowid) AS low, max(t.rowid) AS high FROM ` + engine.StoreSchema + `.tool_calls AS t JOIN hindsql_unified USING (agent, session_id) GROUP BY batch) AS c USING (batch)
	GROUP BY b.batch ORDER BY b.batch`

func (e *exporting) eachInBatches(ctx context.Context, visit func(object string) error) error {
	var batches [][5]any
	if err := e.reading.Each(ctx, batchRanges, func(scan func(...any) error) error {
		var n [5]int64
		err := scan(&n[0], &n[1], &n[2], &n[3], &n[4])
		batches = append(batches, [5]any{n[0], n[1], n[2], n[3], n[4]})
		return err
	}); err != nil {
		return err
	}
	query := e.unifiedObjects()
	for _, batch := range batches {
		if err := e.reading.Each(ctx, fmt.Sprintf(query, batch[:]...), func(scan func(...any) error) error {
			var object string
			if err := scan(&object); err != nil {
				return err
			}
			return visit(object)
		}); err != nil {
			return err
		}
	}
	return nil
}

// unifiedObjects returns the query of a batch's objects. It is a format string for the
// batch's number, and its first and last rows in messages and tool_calls.
func (o *Options) unifiedObjects() string {
	sql := "WITH b AS (SELECT * FROM hindsql_unified WHERE batch = %d)"
	joins := ""
	for i, p := range unifiedParts {
		among := ""
		if i < 2 {
			among = " WHERE rowid BETWEEN %d AND %d"
		}
		sql += fmt.Sprintf(",\n%[1]s_of AS (SELECT agent, session_id, list(%[2]s ORDER BY %[3]s) AS rows FROM %[5]s.%[1]s SEMI JOIN b USING (agent, session_id)%[4]s GROUP BY ALL)",
			p.table, p.object(), p.order, among, engine.StoreSchema)
		joins += fmt.Sprintf(" LEFT JOIN %s_of USING (agent, session_id)", p.table)
	}
	rows := func(table string) string { return "coalesce(" + table + "_of.rows, [])" }
	object := fmt.Sprintf(`CAST(to_json({'type': 'session', 'session': %s, 'messages': %s, 'tool_calls': %s,
		'compaction': {'boundaries': %s}, 'context_clears': %s, 'interruptions': %s, 'rejections': %s}) AS VARCHAR)`,
		part{table: "sessions"}.object(), rows("messages"), rows("tool_calls"), rows("compactions"), rows("clears"), rows("interruptions"), rows("rejections"))
	if o.Redact != nil {
		object = "hindsql_redact(" + object + ", true)"
	}
	return sql + "\nSELECT " + object + " FROM " + engine.StoreSchema + ".sessions JOIN b USING (agent, session_id)" + joins + " ORDER BY b.place"
}

// object returns the SQL of a row as a struct, with times as RFC 3339.
func (p part) object() string {
	var first, rest []string
	t := tables.Named(p.table)
	for _, c := range t.Columns {
		if p.table == "sessions" && c.Name == "is_copy" {
			continue // no exported session is a copy
		}
		if slices.Contains(p.first, c.Name) || p.table != "sessions" && (c.Name == "agent" || c.Name == "session_id" || tables.IsOrigin(c.Name)) {
			continue // already in the object's session, or in first
		}
		rest = append(rest, field(c.Name, c.Type))
	}
	for _, name := range p.first {
		i := slices.IndexFunc(t.Columns, func(c tables.Column) bool { return c.Name == name })
		first = append(first, field(name, t.Columns[i].Type))
	}
	return "{" + strings.Join(append(first, rest...), ", ") + "}"
}

func field(name, duckType string) string {
	value := sqltext.Identifier(name)
	if duckType == "TIMESTAMPTZ" {
		value = fmt.Sprintf("strftime(%s AT TIME ZONE 'UTC', '%%%%Y-%%%%m-%%%%dT%%%%H:%%%%M:%%%%S.%%%%fZ')", value)
	}
	return sqltext.Literal(name) + ": " + value
}
