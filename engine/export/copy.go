package export

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/engine"
	"hindsql/engine/store"
	"hindsql/internal/lists"
	"hindsql/internal/pattern"
	"hindsql/internal/regular"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// rowGroup is the number of rows in a row group of Parquet, a quarter of DuckDB's
// default. Small groups let readers skip more by statistics, and enlarge files by a few
// percent.
const rowGroup = 30720

func (e *exporting) copyTo(ctx context.Context, query, path, options string) error {
	return e.reading.Exec(ctx, fmt.Sprintf("COPY (%s) TO %s (%s)", query, sqltext.Literal(path), options))
}

// copyOptions returns the options for DuckDB's COPY.
func (o *Options) copyOptions(keys []string, metadata string) string {
	f, _ := formatOf(o.Format)
	options := f.copy(metadata)
	if len(keys) > 0 {
		names := lists.Map(keys, sqltext.Identifier)
		// Some readers don't take columns from folder names.
		options += ", WRITE_PARTITION_COLUMNS true, PARTITION_BY (" + strings.Join(names, ", ") + ")"
	}
	return options
}

func parquetOptions(metadata string) string {
	return fmt.Sprintf("FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE %d, KV_METADATA %s", rowGroup, metadata)
}

// ParquetOptions returns the options of a COPY of a table's rows to Parquet. The file's
// metadata describes the columns, and contains the additional pairs of keys and values.
func ParquetOptions(t *tables.Table, columns []tables.Column, pairs ...string) string {
	return parquetOptions(keyValues(append(tableMetadata(t, columns), pairs...)...))
}

// The keys of a Parquet file's metadata.
const (
	metaSchema  = "hindsql.schema"  // tables.SchemaHash of the writing build
	metaHost    = "hindsql.host"    // name of the machine with the exported store
	metaMachine = "hindsql.machine" // id of the machine; its name if the id is unknown
	metaTable   = "hindsql.table"   // name of the table
	metaDoc     = "hindsql.doc"     // description of a row
	metaColumns = "hindsql.columns" // JSON object with a description of each column
)

// metadata returns the KV_METADATA of a table's files.
func (e *exporting) metadata(t *tables.Table, columns []tables.Column) string {
	return keyValues(append(tableMetadata(t, columns), metaHost, e.host, metaMachine, e.machine)...)
}

// tableMetadata returns keys and values that describe a table's rows and columns.
func tableMetadata(t *tables.Table, columns []tables.Column) []string {
	docs := make(map[string]string, len(columns))
	for _, c := range columns {
		docs[c.Name] = c.Doc
	}
	text, err := json.Marshal(docs)
	if err != nil {
		panic(err) // strings always marshal
	}
	return []string{metaSchema, tables.SchemaHash(), metaTable, t.Name, metaDoc, t.Doc, metaColumns, string(text)}
}

func keyValues(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, sqltext.Identifier(pairs[i])+": "+sqltext.Literal(pairs[i+1]))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// columns returns the SQL of columns for the format, redacted if the export redacts.
// Times are UTC: as RFC 3339 in text, as a timestamp in Parquet. JSON becomes text in
// Parquet, because other readers take DuckDB's JSON type for bytes.
func (o *Options) columns(columns []result.Column) []string {
	list := make([]string, len(columns))
	f, _ := formatOf(o.Format)
	for i, c := range columns {
		name := sqltext.Identifier(c.Name)
		value := name
		if o.Redact != nil && isText(c.Type) {
			value = engine.Redacted(name, c.Type)
		}
		switch {
		case c.Type == "JSON" && f.typed:
			value = "CAST(" + value + " AS VARCHAR)"
		case (c.Type == "TIMESTAMP WITH TIME ZONE" || c.Type == "TIMESTAMPTZ") && !f.typed:
			value = fmt.Sprintf("strftime(%s AT TIME ZONE 'UTC', '%%Y-%%m-%%dT%%H:%%M:%%S.%%fZ')", value)
		}
		list[i] = value + " AS " + name
	}
	return list
}

// redactText returns a text of the export itself, such as the SQL of its query,
// redacted if the export redacts.
func (o *Options) redactText(text string) string { return redactWith(o.Redact, text, false) }

// redactWith returns a text redacted by by, or unchanged if by is nil.
func redactWith(by Redactor, text string, isJSON bool) string {
	if by == nil {
		return text
	}
	return by.Redact(text, isJSON)
}

// isText reports whether hindsql_redact reaches texts in values of a type.
func isText(duckType string) bool { return engine.Redacted("c", duckType) != "c" }

// textInside matches types with inner text that hindsql_redact can't reach.
var textInside = pattern.Lazy(`VARCHAR|JSON|BLOB|UNION|ENUM`)

// WriteParquet writes the result of a query as one Parquet file to w. Columns keep
// DuckDB's types, and rows the query's order. The query is one statement that returns
// rows. WriteParquet writes nothing before all rows are ready.
func WriteParquet(ctx context.Context, s *engine.Session, q Query, w io.Writer) error {
	write := ownParquet
	if s.Store().IsSafe() {
		write = safeParquet
	}
	err := write(ctx, s, q, w)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// ownParquet runs the user's own query in a store that may write files.
func ownParquet(ctx context.Context, s *engine.Session, q Query, w io.Writer) error {
	return s.Read(ctx, func(r *engine.Reading) error {
		e := &exporting{Options: Options{Out: w, Format: Parquet, Query: &q}, reading: r, host: s.Store().Hostname(), machine: s.Store().Machine()}
		defer e.dropQuery(ctx)
		it, err := e.queryItem(ctx)
		if err != nil {
			return err
		}
		_, err = e.toOut(ctx, it)
		return err
	})
}

// safeParquet runs a query in a safe store, which writes no files. A database without
// the user's SQL then gets the rows and writes the file.
func safeParquet(ctx context.Context, s *engine.Session, q Query, w io.Writer) error {
	_, err := throughFile(w, func(path string) error {
		return s.HandOver(ctx, filepath.Dir(path), q.Name, q.SQL, q.Args, func(h *engine.Handed) error {
			o := &Options{Format: Parquet}
			options := o.copyOptions(nil, keyValues("hindsql.query", h.Clean(q.SQL)))
			rows := fmt.Sprintf("SELECT %s FROM (%s)", strings.Join(o.named(h.Columns), ", "), h.From())
			return h.Exec(ctx, fmt.Sprintf("COPY (%s) TO %s (%s)", rows, sqltext.Literal(path), options))
		})
	})
	return err
}

// throughFile has a temporary file written, alone in its folder, and copies the file to w,
// because DuckDB writes only to files.
func throughFile(w io.Writer, write func(path string) error) (bytes int64, err error) {
	dir, drop, err := store.Scratch("export")
	if err != nil {
		return 0, err
	}
	defer drop()
	path := filepath.Join(dir, "rows")
	if err := write(path); err != nil {
		return 0, err
	}
	f, err := regular.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(w, f)
}

// named renames the columns c0, c1 … to the query's column names.
func (o *Options) named(columns []result.Column) []string {
	list, used := make([]string, len(columns)), map[string]bool{}
	for i, c := range columns {
		list[i] = fmt.Sprintf("c%d AS %s", i, sqltext.Identifier(o.uniqueName(c.Name, used)))
	}
	return list
}

// littleMemory is DuckDB's first limit of memory for writing rows, in bytes. The rows are
// a stream, and what a sort doesn't hold in memory goes to the disk. With 250 MB, an
// export of 1 GB of logs falls short.
const littleMemory = 400_000_000

// Bounded runs work with little memory for DuckDB. So the memory follows the limit, and
// not the number of rows. But a few long values may need more. If memory falls short,
// work is run again with twice the limit: at most a quarter of the machine's memory, and
// in the end DuckDB's own limit, which one stored value may need.
func Bounded(ctx context.Context, r *engine.Reading, work func() error) error {
	var was string
	var most int64 // four fifths of the machine's memory, unless the user set another limit
	err := r.Each(ctx, "SELECT current_setting('memory_limit'), parse_formatted_bytes(current_setting('memory_limit'))", func(scan func(...any) error) error {
		return scan(&was, &most)
	})
	if err != nil {
		return err
	}
	quarter := most / 16 * 5
	for limit := min(littleMemory, quarter); limit < most; limit = min(2*limit, quarter) {
		if err := r.Exec(ctx, fmt.Sprintf("SET memory_limit = '%d KB'", limit/1000)); err != nil {
			return err
		}
		err := work()
		if back := restoreMemoryLimit(context.WithoutCancel(ctx), r, was, most); err == nil {
			err = back
		}
		if err == nil || ctx.Err() != nil || !isShort(err) {
			return err
		}
		if limit == quarter {
			break
		}
	}
	return work()
}

// restoreMemoryLimit sets DuckDB's own limit again, or the user's. DuckDB tells a limit
// in a few digits, rounded down, and would round down the limit that it told.
func restoreMemoryLimit(ctx context.Context, r *engine.Reading, was string, bytes int64) error {
	if err := r.Exec(ctx, "RESET memory_limit"); err != nil {
		return err
	}
	var own string
	err := r.Each(ctx, "SELECT current_setting('memory_limit')", func(scan func(...any) error) error { return scan(&own) })
	if err != nil || own == was {
		return err
	}
	return r.Exec(ctx, fmt.Sprintf("SET memory_limit = '%d KB'", (bytes+bytes/1000)/1000))
}

// isShort reports whether DuckDB's memory fell short. The words are DuckDB's.
func isShort(err error) bool {
	text := strings.ToLower(err.Error())
	return slices.ContainsFunc([]string{"out of memory", "failed to pin block", "failed to allocate data", "could not allocate block"},
		func(words string) bool { return strings.Contains(text, words) })
}
