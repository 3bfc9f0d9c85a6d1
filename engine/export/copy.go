package export

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"hindsql/engine"
	"hindsql/internal/pattern"
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
		var names []string
		for _, key := range keys {
			names = append(names, sqltext.Identifier(key))
		}
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

// clean returns a text of the export itself, such as the SQL of its query, redacted if
// the export redacts.
func (o *Options) clean(text string) string { return cleaned(o.Redact, text, false) }

// cleaned returns a text redacted by by, or unchanged if by is nil.
func cleaned(by Redactor, text string, isJSON bool) string {
	if by == nil {
		return text
	}
	return by.Redact(text, isJSON)
}

// isText reports whether hindsql_redact reaches texts in values of a type.
func isText(duckType string) bool { return engine.Redacted("c", duckType) != "c" }

// textInside matches types with inner text that hindsql_redact can't reach.
var textInside = pattern.Lazy(`VARCHAR|JSON|BLOB|UNION|ENUM`)
