package tables

import "fmt"

var fileFields = newSheet(Table{
	Name:     "file_fields",
	Doc:      "One row per file, kind of record and unknown field; record_fields sums them up.",
	Internal: true,
}, []column[inFile[RecordField]]{
	text("agent", "which agent wrote the log", func(r *inFile[RecordField]) string { return r.f.Agent }),
	text("kind", "kind of record", func(r *inFile[RecordField]) string { return r.e.Kind }),
	text("field", "path of the field", func(r *inFile[RecordField]) string { return r.e.Field }),
	bigint("lines", "occurrences", func(r *inFile[RecordField]) int64 { return r.e.Lines }),
	text("first_version", "lowest version of the agent that wrote it", func(r *inFile[RecordField]) string { return r.e.FirstVersion }),
	text("example", "type and length of the first", func(r *inFile[RecordField]) string { return r.e.Example }),
	bigint("source_id", "the log file, see sources", func(r *inFile[RecordField]) int64 { return r.f.id }),
})

// fieldsOfVersion is the maximum number of fields shown for a version.
const fieldsOfVersion = 500

var recordFields = &Table{
	Name: "record_fields",
	Doc:  "One row per field that hindsql doesn't know, by kind of record: an agent newer than hindsql wrote it, and what it says is in no table. A row of kind (version) names a version of the agent newer than any whose logs hindsql was tested with. At most 500 rows a version. No row: nothing new was met.",
	Key:  []string{"agent", "kind", "field"},
	View: recordFieldsView(),
	Columns: []Column{
		{"agent", "VARCHAR", "which agent wrote the log"},
		{"kind", "VARCHAR", "kind of record, as in record_kinds; (version) for a version"},
		{"field", "VARCHAR", "path of at most three keys; [] stands for a list's elements, * for a key that is data"},
		{"lines", "BIGINT", "how often it was met"},
		{"first_version", "VARCHAR", "lowest version of the agent that wrote it; null where no record of it names one"},
		{"example", "VARCHAR", "type and length of one; never a value"},
	},
}

func recordFieldsView() string {
	order := fmt.Sprintf(versionOrder, "first_version")
	return fmt.Sprintf(`FROM (
  SELECT agent, kind, field, sum(lines)::BIGINT AS lines, arg_min(first_version, %s) AS first_version, min(example) AS example
  FROM {schema}.file_fields GROUP BY agent, kind, field)
QUALIFY row_number() OVER (PARTITION BY agent, first_version ORDER BY kind, field) <= %d`, order, fieldsOfVersion)
}
