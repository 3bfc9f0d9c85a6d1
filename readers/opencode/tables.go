package opencode

import (
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// readTables notes tables and columns that the reader doesn't know.
func readTables(in *readers.Input) error {
	var names []string
	columns := map[string][]string{}
	strays := false
	err := sqlite.View(in, func(db *sqlite.DB) error {
		names, strays = nil, false
		err := db.Query(func(row *sqlite.Row) error {
			names = append(names, row.Text(0))
			return nil
		}, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
		for _, table := range tablesRead {
			columns[table] = db.Columns(table)
		}
		if err != nil || columns["session"] == nil || columns["message"] == nil {
			return err
		}
		return db.Query(func(*sqlite.Row) error {
			strays = true
			return nil
		}, "SELECT 1 WHERE EXISTS (SELECT 1 FROM message WHERE session_id NOT IN (SELECT id FROM session))")
	})
	if err != nil {
		return err
	}
	kinds := readers.NewKinds(in)
	for _, name := range names {
		kinds.Count("table/"+name, knownTables[name], "", time.Time{})
		if list := columns[name]; list != nil {
			lookAt(&kinds, name, list)
		}
	}
	kinds.Emit(in.Emit)
	if strays {
		in.Emit(&tables.Problem{What: "some messages are of sessions that are not there"})
	}
	return nil
}

// lookAt notes the unknown columns of a table.
func lookAt(kinds *readers.Kinds, table string, columns []string) {
	object := map[string]any{}
	for _, c := range columns {
		object[strings.ToValidUTF8(c, "?")] = true
	}
	if v, err := fastjson.Parse(readers.Object(object)); err == nil {
		kinds.Look(v, "table/"+table, "")
	}
}

// tablesRead lists the tables that the reader reads, and knownTables all tables seen so
// far. Some hold secrets: account, control_account, credential, session_share.
var (
	tablesRead  = []string{"session", "message", "part", "event", "event_sequence"}
	knownTables = readers.SetOf(`session message part event event_sequence project project_directory workspace todo permission migration
		data_migration account account_state control_account credential session_share session_message session_input session_context_epoch
		__drizzle_migrations`)
)
