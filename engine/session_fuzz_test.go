package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"hindsql/engine/export"
	"hindsql/internal/whole"
)

// FuzzSessionJSON: for any content of a log, the published schema accepts the session's
// object.
func FuzzSessionJSON(f *testing.F) {
	whole.Test(f, "loads a store for each seed, 1.2 s of processor time")
	text, err := os.ReadFile(filepath.Join("..", "docs", "session.schema.json"))
	must(f, err)
	var declared jsonschema.Schema
	must(f, json.Unmarshal(text, &declared))
	schema, err := declared.Resolve(nil)
	must(f, err)
	f.Add("{\"id\":\"a\",\"at\":\"2026-01-01T00:00:00Z\",\"text\":\"\\u0000\\ud800\\\"\\\\ \xff\"}")
	f.Add(line(1, `,"call":"t1"`) + line(2, `,"refused":"t1","reason":"\u2028"`) + `{"cut`)
	f.Add(`{"session":"\u0000","kind":"subagent","parent":"\ud800","project":"\\"}` + "\n" + line(1, ""))
	f.Add(`{"cleared":"a","next":"b","id":"c","at":"9999-12-31T23:59:59Z"}` + "\n" + `{"id":"","at":"0000-01-01T00:00:00Z","text":""}`)
	f.Fuzz(func(t *testing.T, log string) {
		h := newHome(t)
		h.Write("a.jsonl", log)
		h.Sync()
		s := h.Open()
		var out bytes.Buffer
		_, err := export.Run(context.Background(), s.Session, export.Options{Dir: export.Stdout, Out: &out, Format: export.Unified})
		must(t, err)
		// The schema names the agents that there are.
		for object := range strings.Lines(strings.ReplaceAll(out.String(), `"agent":"toy"`, `"agent":"claude"`)) {
			var v map[string]any
			if err := json.Unmarshal([]byte(object), &v); err != nil {
				t.Fatalf("%q: %v", object, err)
			}
			if err := schema.Validate(v); err != nil {
				t.Errorf("%q: %v", object, err)
			}
		}
	})
}
