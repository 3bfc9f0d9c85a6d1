package export

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// rowGroup is the number of rows in a row group of Parquet, a quarter of DuckDB's
// default. Readers can skip more groups by their statistics; files grow by a few
// percent.
const rowGroup = 30720

func (e *exporting) copyTo(ctx context.Context, query, path, options string) error {
	return e.reading.Exec(ctx, fmt.Sprintf("COPY (%s) TO %s (%s)", query, sqltext.Literal(path), options))
}

// copyOptions are those of DuckDB's COPY.
func (o *Options) copyOptions(keys []string, metadata string) string {
	f, _ := formatOf(o.Format)
	options := f.copy(metadata)
	if len(keys) > 0 {
		var names []string
		for _, key := range keys {
			names = append(names, sqltext.Identifier(key))
		}
		// Not every reader takes columns from folders' names.
		options += ", WRITE_PARTITION_COLUMNS true, PARTITION_BY (" + strings.Join(names, ", ") + ")"
	}
	return options
}

func parquetOptions(metadata string) string {
	return fmt.Sprintf("FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE %d, KV_METADATA %s", rowGroup, metadata)
}

// ParquetOptions are those of a COPY of a table's rows to Parquet, with what the
// columns are in the file's metadata, and further pairs of keys and values there.
func ParquetOptions(t *tables.Table, columns []tables.Column, pairs ...string) string {
	return parquetOptions(keyValues(append(tableMetadata(t, columns), pairs...)...))
}

// The keys of a Parquet file's metadata.
const (
	metaSchema  = "hindsql.schema"  // tables.SchemaHash of the build that wrote it
	metaHost    = "hindsql.host"    // the machine whose store it came from
	metaMachine = "hindsql.machine" // its id; its name where it has none
	metaTable   = "hindsql.table"   // the table
	metaDoc     = "hindsql.doc"     // what a row is
	metaColumns = "hindsql.columns" // what each column is: a JSON object
)

// metadata is the KV_METADATA of a table's files.
func (e *exporting) metadata(t *tables.Table, columns []tables.Column) string {
	return keyValues(append(tableMetadata(t, columns), metaHost, e.host, metaMachine, e.machine)...)
}

// tableMetadata are keys and values that tell what a table's rows and columns are.
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

// columns gives the SQL of columns for the format. It replaces secrets where
// asked, and writes a moment as one of UTC: in text by RFC 3339, in Parquet as
// its type. JSON is text there, because other readers take DuckDB's type for
// bytes.
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

// clean is a text of the export's own, such as the SQL of its query, with secrets
// replaced where asked.
func (o *Options) clean(text string) string { return cleaned(o.Redact, text, false) }

// cleaned is a text whose secrets are replaced by somebody, unless that is nil.
func cleaned(by Redactor, text string, isJSON bool) string {
	if by == nil {
		return text
	}
	return by.Redact(text, isJSON)
}

func isText(duckType string) bool {
	return duckType == "JSON" || duckType == "VARCHAR" || duckType == "VARCHAR[]"
}

// textInside matches types that contain text which hindsql_redact cannot reach.
var textInside = regexp.MustCompile(`VARCHAR|JSON|BLOB|UNION|ENUM`)
