package openclaw

import (
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/readers/sqlite"
)

// The tables that are read, by database. No other table is: the state database holds
// keys of devices, tokens and stored secrets, and the agents' databases hold the profiles
// of their accounts. Of these tables, only the columns that the statements of this
// package name are read.
var (
	agentTables = []string{
		"session_nodes", "session_windows", "transcript_events", "trajectory_runtime_events",
		"session_transcript_archives", "session_transcript_cold_archives", "transcript_rewrite_watermarks", "transcript_event_identities",
	}
	stateTables = []string{"operator_approvals"}
)

// readTables notes the columns that the tables of a database didn't have before.
func readTables(in *readers.Input, names []string) error {
	columns := map[string][]string{}
	err := sqlite.View(in, func(db *sqlite.DB) error {
		for _, table := range names {
			columns[table] = db.Columns(table)
		}
		return nil
	})
	if err != nil {
		return err
	}
	kinds := readers.NewKinds(in)
	for _, table := range names {
		if columns[table] == nil {
			continue
		}
		kinds.Count("table/"+table, true, "", time.Time{})
		object := map[string]any{}
		for _, c := range columns[table] {
			object[strings.ToValidUTF8(c, "?")] = true
		}
		if v, err := fastjson.Parse(readers.Object(object)); err == nil {
			kinds.Look(v, "table/"+table, "")
		}
	}
	kinds.Emit(in.Emit)
	return nil
}
