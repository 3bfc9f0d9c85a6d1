package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"hindsql/engine/sandbox"
	"hindsql/engine/sandbox/allow"
	"hindsql/internal/result"
)

// The calls from a safe Store to its worker, see worker.go. Each comment names the
// argument's type, then the work, then the type of the reply.
const (
	callOpen     = "open"     // opening: starts DuckDB
	callMake     = "make"     // the SQL that attaches the store: makes the tables, and closes the doors
	callExec     = "exec"     // a text: SQL of ours, on one connection
	callFeed     = "feed"     // needs: rows with these columns may come in, until callFed
	callInsert   = "insert"   // a table's name, with rows for it
	callFed      = "fed"      // fed: says what the worker holds now
	callStart    = "start"    // beginning: a stranger's statement; gives begun, with rows
	callNext     = "next"     // the number of a statement; gives part, with rows
	callStop     = "stop"     // the number of a statement
	callComplete = "complete" // looked; gives given
	callValues   = "values"   // looked: a table and its column; gives given
	callLeave    = "leave"    // the number of a session
)

// askLine is the call from the worker to the safe Store: a wanted line of a log.
const askLine = "line"

// askList is the call from the worker to the safe Store: the rows of a list.
const askList = "list"

// opening holds the bounds of a worker's DuckDB, see [Safe], and the SQL that prepares
// it after the store is attached. The SQL runs in the order of the fields.
type opening struct {
	Rows                 int64
	Memory               int64
	Time                 time.Duration
	Tables, Names, Doors string
}

// fed ends the feeding of a worker.
type fed struct {
	Many  bool  // many rows came
	Holds needs // what the worker holds
}

// beginning is a statement of another person, which the worker is to start.
type beginning struct {
	ID        uint64
	Session   int64
	Text      string
	Before    string // the text in front of Text, for the places of errors
	Arguments []sandbox.Argument
	Page      Page
	Handed    bool          // the rows go to a DuckDB: columns are c0, c1 …, and values that Arrow lacks are texts
	Time      time.Duration // the bound; zero for the Store's own
}

// begun holds a statement's columns and first rows, or what the worker lacks to run the
// statement.
type begun struct {
	Columns []result.Column
	Lacks   needs
	part
}

// part says how a result goes on after some rows: with more rows, its end, or an error.
type part struct {
	End   bool
	Wrong *wrong
}

// looked is SQL, or a table's column, that the worker is asked about without running
// the SQL.
type looked struct {
	Session int64
	Text    string
	At      int
	Column  string
}

// given is the worker's answer to a looked.
type given struct {
	List  []string
	Start int
	Lacks needs // what the worker lacks for the whole answer
	Wrong *wrong
}

// wanted is a line of a log that a statement asks for.
type wanted struct {
	Statement    uint64
	Source, Line int64
}

// wrong is an error, encoded for a pipe.
type wrong struct {
	Kind   string
	Detail json.RawMessage
}

// The kinds of errors that callers of the engine tell apart. All other errors are
// passed on as text.
const (
	wrongSQL       = "sql"
	wrongLimit     = "limit"
	wrongRefused   = "refused"
	wrongCancelled = "cancelled"
	wrongText      = "text"
)

// limited is a [Limit], encoded.
type limited struct {
	What, Bound string
	Safe        bool
}

// wrongOf encodes an error; nil for no error.
func wrongOf(err error) *wrong {
	var ofSQL *Error
	var limit *Limit
	var refused *allow.Refused
	write := func(kind string, detail any) *wrong {
		text, _ := json.Marshal(detail) // texts and numbers only
		return &wrong{kind, text}
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limit):
		return write(wrongLimit, limited{limit.What, limit.Bound, limit.safe})
	case errors.As(err, &ofSQL):
		return write(wrongSQL, ofSQL)
	case errors.As(err, &refused):
		return write(wrongRefused, refused)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return write(wrongCancelled, err.Error())
	}
	return write(wrongText, err.Error())
}

// lacksMemory reports whether DuckDB met its memory bound.
func (w *wrong) lacksMemory() bool {
	var limit *Limit
	return w != nil && errors.As(w.err(), &limit) && limit.What == "memory"
}

// err decodes the error; nil for no error.
func (w *wrong) err() error {
	if w == nil {
		return nil
	}
	var limit limited
	var read error
	into := map[string]any{wrongSQL: &Error{}, wrongLimit: &limit, wrongRefused: &allow.Refused{}, wrongText: new(string), wrongCancelled: new(string)}[w.Kind]
	if read = json.Unmarshal(w.Detail, into); read != nil {
		return fmt.Errorf("safe: an error that can't be read: %w", read)
	}
	switch e := into.(type) {
	case *Error:
		return e
	case *allow.Refused:
		return e
	case *limited:
		return &Limit{What: e.What, Bound: e.Bound, safe: e.Safe}
	}
	if w.Kind == wrongCancelled {
		return context.Canceled
	}
	return errors.New(*into.(*string))
}
