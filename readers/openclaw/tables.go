package openclaw

import (
	"fmt"
	"hash/fnv"
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

// tablesPart is the part that has what is new of a database's tables.
const tablesPart = "(tables)" // no id of a session

// tablesOf is that part: it changes with the columns.
func tablesOf(db *sqlite.DB, names []string) readers.Part {
	all := fnv.New64a()
	for _, table := range names {
		fmt.Fprintln(all, table, db.Columns(table))
	}
	return readers.Part{Name: tablesPart, Stamp: fmt.Sprintf("%x", all.Sum64()), Size: 512}
}

// readTables notes the columns that the tables of a database didn't have before.
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
