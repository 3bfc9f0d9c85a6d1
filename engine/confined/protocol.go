package confined

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"hindsql/engine/duck"
	"hindsql/engine/sandbox"
	"hindsql/engine/sandbox/allow"
	"hindsql/engine/sqlerror"
	"hindsql/internal/result"
)

// The calls from a safe Store to its worker, see worker.go. Each comment names the
// argument's type, then the work, then the type of the reply.
const (
	callOpen     = "open"     // openRequest: starts DuckDB
	callMake     = "make"     // the SQL that attaches the store: makes the tables, and closes the doors
	callExec     = "exec"     // a text: SQL of ours, on one connection
	callFeed     = "feed"     // columnSet: rows with these columns may come in, until callFed
	callInsert   = "insert"   // a table's name, with rows for it
	callFed      = "fed"      // feedEnd: says what the worker holds now
	callStart    = "start"    // startRequest: a stranger's statement; startReply, with rows
	callNext     = "next"     // the number of a statement; rowsReply, with rows
	callStop     = "stop"     // the number of a statement
	callComplete = "complete" // lookRequest; lookReply
	callValues   = "values"   // lookRequest: a table and its column; lookReply
	callLeave    = "leave"    // the number of a session
)

// askLine is the call from the worker to the safe Store: a wanted line of a log.
const askLine = "line"

// askList is the call from the worker to the safe Store: the rows of a list.
const askList = "list"

// openRequest holds the bounds of a worker's DuckDB, see [Safe], and the SQL that prepares
// it after the store is attached. The SQL runs in the order of the fields.
type openRequest struct {
	Rows                 int64
	Memory               int64
	Time                 time.Duration
	Tables, Names, Doors string
}

// feedEnd ends the feeding of a worker.
type feedEnd struct {
	Many  bool      // many rows came
	Holds columnSet // what the worker holds
}

// startRequest is a statement of another person, which the worker is to start.
type startRequest struct {
	ID        uint64
	Session   int64
	Text      string
	Before    string // the text in front of Text, for the places of errors
	Arguments []sandbox.Argument
	Page      duck.Page
	Handed    bool          // the rows go to a DuckDB: columns are c0, c1 …, and values that Arrow lacks are texts
	Time      time.Duration // the bound; zero for the Store's own
}

// startReply holds a statement's columns and first rows, or what the worker lacks to run the
// statement.
type startReply struct {
	Columns []result.Column
	Lacks   columnSet
	rowsReply
}

// rowsReply says how a result goes on after some rows: with more rows, its end, or an error.
type rowsReply struct {
	End   bool
	Wrong *encodedError
}

// lookRequest is SQL, or a table's column, that the worker is asked about without running
// the SQL.
type lookRequest struct {
	Session int64
	Text    string
	At      int
	Column  string
}

// lookReply is the worker's reply to a lookRequest.
type lookReply struct {
	List  []string
	Start int
	Lacks columnSet // what the worker lacks for the whole answer
	Wrong *encodedError
}

// lineRequest is a line of a log that a statement asks for.
type lineRequest struct {
	Statement    uint64
	Source, Line int64
}

// encodedError is an error, encoded for a pipe.
type encodedError struct {
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

// encodedLimit is a [Limit], encoded.
type encodedLimit struct {
	What, Bound string
	Safe        bool
}

// encodeError encodes an error; nil for no error.
func encodeError(err error) *encodedError {
	var ofSQL *sqlerror.Error
	var limit *duck.Limit
	var refused *allow.Refused
	write := func(kind string, detail any) *encodedError {
		text, _ := json.Marshal(detail) // texts and numbers only
		return &encodedError{kind, text}
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limit):
		return write(wrongLimit, encodedLimit{limit.What, limit.Bound, limit.Safe})
	case errors.As(err, &ofSQL):
		return write(wrongSQL, ofSQL)
	case errors.As(err, &refused):
		return write(wrongRefused, refused)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return write(wrongCancelled, err.Error())
	}
	return write(wrongText, err.Error())
}

// isOutOfMemory reports whether DuckDB met its memory bound.
func (w *encodedError) isOutOfMemory() bool {
	var limit *duck.Limit
	return w != nil && errors.As(w.decode(), &limit) && limit.What == "memory"
}

// decode decodes the error; nil for no error.
func (w *encodedError) decode() error {
	if w == nil {
		return nil
	}
	var limit encodedLimit
	var read error
	into := map[string]any{wrongSQL: &sqlerror.Error{}, wrongLimit: &limit, wrongRefused: &allow.Refused{}, wrongText: new(string), wrongCancelled: new(string)}[w.Kind]
	if read = json.Unmarshal(w.Detail, into); read != nil {
		return fmt.Errorf("safe: an error that can't be read: %w", read)
	}
	switch e := into.(type) {
	case *sqlerror.Error:
		return e
	case *allow.Refused:
		return e
	case *encodedLimit:
		return &duck.Limit{What: e.What, Bound: e.Bound, Safe: e.Safe}
	}
	if w.Kind == wrongCancelled {
		return context.Canceled
	}
	return errors.New(*into.(*string))
}
