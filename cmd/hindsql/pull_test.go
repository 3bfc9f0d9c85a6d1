package main

import (
	"errors"
	"testing"

	"hindsql/engine/fleet/pull"
)

// TestPulledLine: each machine has a line with its new, and dropped rows.
func TestPulledLine(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]pull.Machine{
		"desk (m1): nothing changed":                          {ID: "m1", Name: "desk"},
		"m1: 5 rows of 1 log; 3 logs dropped":                 {ID: "m1", Name: "m1", Rows: 5, Logs: 1, Dropped: 3},
		"m1: 5 rows of 1 log":                                 {ID: "m1", Rows: 5, Logs: 1},
		"m1: is to be forgotten; the rows of 3 logs dropped":  {ID: "m1", Refused: true, Dropped: 3},
		"m1: its rows stay as they were: messages/x: missing": {ID: "m1", Err: errors.New("messages/x: missing\nLINE 1: SELECT")},
		"m1: 5 rows of 1 log; another version of hindsql pushed them: what one of the two doesn't know is null, or left out": {ID: "m1", Rows: 5, Logs: 1, Other: true},
	} {
		if got := pulledLine(m); got != want {
			t.Errorf("%+v: %q, want %q", m, got, want)
		}
	}
}
