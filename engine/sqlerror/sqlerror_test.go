package sqlerror

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestErrorsHideTheStack: no part of DuckDB's stack reaches an error, whatever the form
// of DuckDB's text.
func TestErrorsHideTheStack(t *testing.T) {
	const stack = "\nStack Trace:\n\n/usr/bin/hindsql(duckdb::Exception::ToJSON()+0x5b) [0x2fc86eb]\n/lib/libc.so.6(+0x891f5) [0x7f46c05c71f5]\n\nThis error signals an assertion failure within DuckDB."
	for text, want := range map[string]Error{
		"INTERNAL Error: oh" + stack: {Kind: "internal", Message: "oh", Broken: true},
		"FATAL Error: Failed: database has been invalidated because of a previous fatal error. The database must be restarted prior to being used again.\nOriginal error: \"oh" + stack + "\"": {Kind: "internal", Message: "oh", Broken: true},
		`failed to create arrow array: {"exception_type":"INTERNAL","exception_message":"oh","stack_trace_pointers":"0x2fc86eb"}` + stack:                                                      {Kind: "internal", Message: "oh", Broken: true},
		`{"exception_type":"Conversion","exception_message":"oh","stack_trace":"/usr/bin/hindsql() [0x2fc86eb]"}`:                                                                              {Kind: "conversion", Message: "oh"},
		"Binder Error: oh" + stack: {Kind: "binder", Message: "oh"},
	} {
		var got *Error
		if err := Parse(context.Background(), errors.New(text)); !errors.As(err, &got) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want.Broken {
			want.Hint = got.Hint
		}
		if *got != want || strings.Contains(got.Error(), "0x") {
			t.Errorf("%s: %#v", text, got)
		}
	}
}

func TestOurFunctionsErrorsStand(t *testing.T) {
	const ours = "prices: p.json: bad JSON; docs/prices.md says what it may be"
	err := Parse(context.Background(), errors.New("Invalid Input Error: database/sql/driver: API error: "+ours))
	if err == nil || err.Error() != ours {
		t.Errorf("%v instead of %s", err, ours)
	}
}
