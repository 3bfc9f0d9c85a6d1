package readertest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"hindsql/readers"
	"hindsql/tables"
)

func rowRules() []rule {
	return []rule{
		{name: "same twice", why: "the same bytes give the same rows every time, or a sync would never come to rest",
			check: func(l *log) error { return l.asRead(l.load(l.data)) }},
		{name: "from disk", why: "a log gives the same rows from the disk as from memory: a reader takes its bytes from Input.Open only",
			check: func(l *log) error {
				b := tables.NewBatch(nil)
				defer b.Release()
				l.reader.Load(l.found, l.source()).AppendTo(b)
				if l.reader.Parts != nil {
					parts, _, err := l.reader.List(l.found)
					if err != nil {
						return err
					}
					for _, p := range parts {
						l.reader.Load(l.found, l.partSource(p)).AppendTo(b)
					}
				}
				return l.asRead(read{rows: rowsOf(b)})
			}},
		{name: "well formed", why: "keys are unique, JSON is JSON, text is UTF-8, positions are those of messages",
			check: func(l *log) error { return wellFormed(l.load(l.data)) }},
		{name: "times", why: "times are in UTC, and of the years in which there were agents: a wrong unit or zone shows here",
			check: func(l *log) error { return times(l.load(l.data).events) }},
		{name: "pointing", why: "a result, rejection or interruption that names a call of the file stands in that call's session, so that they meet",
			check: func(l *log) error { return pointing(l.load(l.data).events) }},
		{name: "answers", why: "only the agent's own question has answers, one of them a person's: the words of another tool are no answer",
			check: func(l *log) error { return answers(l.load(l.data).rows["tool_calls"]) }},
		{name: "accounted", why: "every record is counted by readers.Kinds or is a problem; nothing is dropped in silence",
			shapes: lineByLine, check: accounted},
	}
}

// wellFormed checks rules that hold for the rows of any bytes.
func wellFormed(r read) error {
	if err := panicked(r.events); err != nil {
		return err
	}
	for _, t := range tables.All() {
		if err := uniqueKeys(t, r.rows[t.Name]); err != nil {
			return err
		}
		for _, row := range r.rows[t.Name] {
			for _, c := range t.Columns {
				if err := validText(c, row); err != nil {
					return fmt.Errorf("%s.%s: %w", t.Name, c.Name, err)
				}
			}
		}
	}
	return positionsInRange(r.rows)
}

func validText(c tables.Column, row tables.Row) error {
	s, _ := row[c.Name].(string)
	switch {
	case !utf8.ValidString(s):
		return fmt.Errorf("no UTF-8: %.100q", s)
	case c.Type == "JSON" && s != "" && !json.Valid([]byte(s)):
		return fmt.Errorf("no JSON: %.300s", s)
	case c.Name == "excerpt" && len(s) > readers.ExcerptBytes+utf8.UTFMax:
		return fmt.Errorf("excerpt of %d bytes", len(s))
	}
	return nil
}

// answers checks the answers of calls.
func answers(calls []tables.Row) error {
	for _, call := range calls {
		list, answered := call["answers"].([]tables.Row)
		given := !answered
		for _, a := range list {
			if _, listed := a["options"].([]string); !listed || a["picked"] == nil {
				return fmt.Errorf("call %v: no list in %v", call["tool_use_id"], a)
			}
			for _, text := range append(a["options"].([]string), a["picked"].([]string)...) {
				if !utf8.ValidString(text) {
					return fmt.Errorf("call %v: no UTF-8: %.100q", call["tool_use_id"], text)
				}
			}
			given = given || len(a["picked"].([]string)) > 0 || a["words"] != nil
		}
		if !given {
			return fmt.Errorf("call %v: answers without an answer: %v", call["tool_use_id"], list)
		}
		if answered && call["tool_kind"] != tables.ToolQuestion {
			return fmt.Errorf("call %v of %v, no question, has answers: %v", call["tool_use_id"], call["tool_name"], list)
		}
	}
	return nil
}

func uniqueKeys(t *tables.Table, rows []tables.Row) error {
	seen := map[string]bool{}
	for _, row := range rows {
		var key strings.Builder
		whole := len(t.Key) > 0
		for _, c := range t.Key {
			v, ok := row[c]
			whole = whole && ok
			fmt.Fprintf(&key, "%s=%v ", c, v)
		}
		if whole && seen[key.String()] {
			return fmt.Errorf("%s: two rows with the key %s", t.Name, key.String())
		}
		seen[key.String()] = true
	}
	return nil
}

// positionsInRange checks every message position against the number of messages in the
// row's session. clear_marks are skipped, because their rows name a session in another
// file.
func positionsInRange(rows map[string][]tables.Row) error {
	count := map[any]int64{}
	for _, m := range rows["messages"] {
		count[m["session_id"]]++
	}
	for name, list := range rows {
		if name == "clear_marks" {
			continue
		}
		for _, row := range list {
			for column, v := range row {
				i, ok := v.(int64)
				if ok && strings.HasSuffix(column, "message_index") && i >= count[row["session_id"]] {
					return fmt.Errorf("%s.%s is %d, but session %v has %d messages", name, column, i, row["session_id"], count[row["session_id"]])
				}
			}
		}
	}
	return nil
}

const (
	firstYear = 2015
	lastYear  = 2100
)

func times(events []tables.Event) error {
	for _, e := range events {
		v := reflect.ValueOf(e).Elem()
		for i := range v.NumField() {
			if v.Field(i).Type() != reflect.TypeFor[time.Time]() {
				continue
			}
			at := v.Field(i).Interface().(time.Time)
			if at.IsZero() {
				continue
			}
			if at.Location() != time.UTC {
				return fmt.Errorf("%T.%s is not in UTC: %v", e, v.Type().Field(i).Name, at)
			}
			if at.Year() < firstYear || at.Year() > lastYear {
				return fmt.Errorf("%T.%s is of the year %d", e, v.Type().Field(i).Name, at.Year())
			}
		}
	}
	return nil
}

func pointing(events []tables.Event) error {
	type place struct{ session, call string }
	calls, inFile := map[place]bool{}, map[string]bool{}
	eachWithSession(events, func(session string, e tables.Event) {
		if c, ok := e.(*tables.ToolCall); ok {
			calls[place{session, c.ToolUseID}], inFile[c.ToolUseID] = true, true
		}
	})
	var err error
	eachWithSession(events, func(session string, e tables.Event) {
		id := ""
		switch e := e.(type) {
		case *tables.ToolResult:
			id = e.ToolUseID
		case *tables.Rejection:
			id = e.ToolUseID
		case *tables.Interruption:
			id = e.ToolUseID
		}
		if id != "" && inFile[id] && !calls[place{session, id}] {
			err = fmt.Errorf("%T in session %s names call %s, which stands in another session", e, session, id)
		}
	})
	return err
}

func eachWithSession(events []tables.Event, visit func(session string, e tables.Event)) {
	session := ""
	for _, e := range events {
		if s, ok := e.(*tables.Session); ok {
			session = s.SessionID
		}
		visit(session, e)
	}
}
