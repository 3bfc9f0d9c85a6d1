package openclaw

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/sqlite"
)

// agentTables and stateTables list the tables that the package reads. Statements name the
// columns. Other tables hold secrets: keys of devices, tokens, accounts.
var (
	agentTables = []string{
		"session_nodes", "session_windows", "transcript_events", "trajectory_runtime_events",
		"session_transcript_archives", "session_transcript_cold_archives", "transcript_rewrite_watermarks", "transcript_event_identities",
	}
	stateTables = []string{"operator_approvals"}
)

// tablesPart names the part with a database's unknown columns.
const tablesPart = "(tables)" // never a session's id

// tablesOf returns the part tablesPart, whose stamp changes with the columns.
func tablesOf(db *sqlite.DB, names []string) readers.Part {
	all := fnv.New64a()
	for _, table := range names {
		fmt.Fprintln(all, table, db.Columns(table))
	}
	return readers.Part{Name: tablesPart, Stamp: fmt.Sprintf("%x", all.Sum64()), Size: 512}
}

// readTables counts the tables, and notes unknown columns.
func readTables(in *readers.Input) error {
	names, columns := agentTables, map[string][]string{}
	if isStateDatabase(in.Rel) {
		names = stateTables
	}
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
