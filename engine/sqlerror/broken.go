package sqlerror

import (
	"encoding/json"
	"errors"
	"strings"

	"hindsql/engine/store"
	"hindsql/internal/pattern"
)

// broken matches DuckDB's errors after which the same DuckDB refuses every statement.
// While DuckDB turns rows into Arrow, its error is JSON.
var broken = pattern.Lazy(`^(?:INTERNAL|FATAL) Error: |^\{"exception_type":"(?:INTERNAL|FATAL)"|database has been invalidated`)

// Broke reports whether a statement's error, or an earlier error, broke the DuckDB: the
// same DuckDB refuses every later statement.
func Broke(err error) bool {
	var wrong *Error
	return err != nil && (errors.As(err, &wrong) && wrong.Broken || broken.MatchString(driverless(err)))
}

// brokenError is the error of a statement that broke its DuckDB, or came after.
func brokenError(err error) *Error {
	e := &Error{Kind: "internal", Message: Cause(err), Broken: true, Damaged: store.IsDamage(err, false)}
	if !e.Damaged {
		e.Hint = "DuckDB failed in this statement, and starts anew: temporary tables, variables and settings of the session are gone; ask in another way"
	}
	return e
}

// driver matches texts of duckdb-go in front of DuckDB's error.
var driver = pattern.Lazy(`^failed to create arrow array: `)

// ours is what DuckDB puts in front of an error of a function written in Go.
const ours = "Invalid Input Error: database/sql/driver: API error: "

func driverless(err error) string {
	text := strings.TrimSpace(err.Error())
	return strings.TrimPrefix(text, driver.FindString(text))
}

var (
	original = pattern.Lazy(`(?s)Original error: "(.*?)"?$`)
	stack    = pattern.Lazy(`(?s)\s*(?:Stack Trace:|This error signals an assertion failure within DuckDB).*`)
)

// Words returns DuckDB's text of an error. It takes away the stack, which has addresses
// of libraries and the program's path, and turns JSON into DuckDB's usual text.
func Words(err error) string {
	text := driverless(err)
	var given struct {
		Kind    string `json:"exception_type"`
		Message string `json:"exception_message"`
	}
	if strings.HasPrefix(text, `{"exception_type"`) && json.NewDecoder(strings.NewReader(text)).Decode(&given) == nil {
		text = given.Kind + " Error: " + given.Message
	}
	return strings.TrimSpace(stack.ReplaceAllString(text, ""))
}

// Cause returns the message of the error that broke a DuckDB, without its kind. DuckDB
// repeats the message in its later errors.
func Cause(err error) string {
	text := Words(err)
	if first := original.FindStringSubmatch(text); first != nil {
		text = first[1]
	}
	message, _, _ := strings.Cut(strings.TrimPrefix(text, kindOfError.FindString(text)), "\n")
	return message
}
