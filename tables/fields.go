package tables

import "fmt"

var fileFields = newSheet(Table{
	Name:     "file_fields",
	Doc:      "One row per file, kind of record and unknown field; table record_fields has the sums.",
	Internal: true,
}, []column[inFile[RecordField]]{
	text("agent", "agent that wrote the log", func(r *inFile[RecordField]) string { return r.f.Agent }),
	text("kind", "kind of record", func(r *inFile[RecordField]) string { return r.e.Kind }),
	text("field", "path of the field", func(r *inFile[RecordField]) string { return r.e.Field }),
	bigint("lines", "occurrences", func(r *inFile[RecordField]) int64 { return r.e.Lines }),
	text("first_version", "lowest version of the agent with the field", func(r *inFile[RecordField]) string { return r.e.FirstVersion }),
	text("example", "type and length of the first occurrence", func(r *inFile[RecordField]) string { return r.e.Example }),
	bigint("source_id", "the log file, see sources", func(r *inFile[RecordField]) int64 { return r.f.id }),
})

// fieldsOfVersion is the maximum number of fields shown for a version.
const fieldsOfVersion = 500

var recordFields = &Table{
	Name: "record_fields",
	Doc:  "One row per field unknown to hindsql, by kind of record: written by an agent newer than hindsql, and left out of all tables. A row of kind (version) names a version of the agent newer than all versions tested with hindsql. At most 500 rows a version. Without new fields and versions, the table is empty.",
	Key:  []string{"agent", "kind", "field"},
	View: recordFieldsView(),
	Columns: []Column{
		{"agent", "VARCHAR", "agent that wrote the log"},
		{"kind", "VARCHAR", "kind of record, as in record_kinds; (version) for a version"},
		{"field", "VARCHAR", "path of at most three keys; [] stands for a list's elements, * for keys that are data"},
		{"lines", "BIGINT", "number of occurrences"},
		{"first_version", "VARCHAR", "lowest version of the agent with the field; null if no record names a version"},
		{"example", "VARCHAR", "type and length of an example; never a value"},
	},
}

func recordFieldsView() string {
	order := fmt.Sprintf(versionOrder, "first_version")
	return fmt.Sprintf(`FROM (
  SELECT agent, kind, field, sum(lines)::BIGINT AS lines, arg_min(first_version, %s) AS first_version, min(example) AS example
  FROM {schema}.file_fields GROUP BY agent, kind, field)
QUALIFY row_number() OVER (PARTITION BY agent, first_version ORDER BY kind, field) <= %d`, order, fieldsOfVersion)
}
