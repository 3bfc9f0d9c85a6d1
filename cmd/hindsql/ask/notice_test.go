package ask_test

import (
	"errors"
	"fmt"
	"testing"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/engine/export"
)

// TestExplain: Explain adds a next step in the face's words, unless DuckDB's error
// already proposes one.
func TestExplain(t *testing.T) {
	words := ask.Words{ask.SeeTables: "T", ask.SeeColumns: "C", ask.Refresh: "S", ask.OtherStore: "F", ask.WholeExport: "U"}
	for _, test := range []struct {
		err  error
		more string
	}{
		{errors.New("open x: no such file"), ""},
		{&engine.Error{Kind: "catalog", Message: "Table with name x does not exist!", Missing: engine.MissingTable}, "\n`T` lists the tables"},
		{&engine.Error{Kind: "catalog", Message: "Table with name x does not exist!", Missing: engine.MissingTable, Hint: `Did you mean "y"?`}, ""},
		{&engine.Error{Kind: "binder", Message: `Referenced column "x" not found in FROM clause!`, Missing: engine.MissingColumn}, "\n`C` lists the columns of a table"},
		{&engine.Damaged{Path: "x", Err: errors.New("IO Error: Corrupt database file")}, "; `hindsql sync --full` sets the damaged store aside, loads the logs anew, and saves what else still reads"},
		{&engine.Damaged{Path: "x", Err: errors.New("IO Error: Trying to read a database file with version number 99")}, "; a newer hindsql reads it; `hindsql sync --full` sets it aside for that, and loads the logs anew"},
		{&engine.OtherBuild{Path: "x"}, "; `S` brings it up to date"},
		{&engine.Unwritable{Path: "x", Err: errors.New("read-only file system")}, "; make it writable, or name another with F"},
		{&engine.Held{Path: "x", Program: "/bin/y", PID: 1}, "; close it there, or name another with F"},
		{&export.OtherOptions{Dir: "x", Item: "y"}, "; leave out U to export all anew"},
		{&engine.Error{Kind: "parser", Message: "syntax error"}, ""},
	} {
		err := fmt.Errorf("f.sql: %w", test.err)
		if got, want := words.Explain(err), err.Error()+test.more; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
