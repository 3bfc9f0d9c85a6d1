package readertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hindsql/readers"
	"hindsql/tables"
)

func rowRules() []rule {
	return []rule{
		{name: "same twice", why: "the same bytes give the same rows every time, or a sync would never come to rest",
			check: func(l *log) error { return l.checkSameRows(l.load(l.data)) }},
		{name: "from disk", why: "a log gives the same rows from the disk as from memory: a reader takes its bytes from Input.Open only",
			check: func(l *log) error {
				files := []*tables.File{l.reader.Load(l.found, l.source())}
				if l.reader.Parts != nil {
					parts, _, err := l.reader.List(l.found)
					if err != nil {
						return err
					}
					for _, p := range parts {
						files = append(files, l.reader.Load(l.found, l.partSource(p)))
					}
				}
				return l.checkSameRows(read{rows: readRows(files...)})
			}},
		{name: "well formed", why: "keys are unique, JSON is JSON, text is UTF-8, positions are those of messages",
			check: func(l *log) error { return wellFormed(l.load(l.data)) }},
		{name: "times", why: "times are in UTC, and of the years in which there were agents: a wrong unit or zone shows here",
			check: func(l *log) error { return checkTimes(l.load(l.data).events) }},
		{name: "pointing", why: "a result, rejection or interruption that names a call of the file stands in that call's session, so that they meet",
			check: func(l *log) error { return checkSessions(l.load(l.data).events) }},
		{name: "answers", why: "only the agent's own question has answers, one of them a person's: the words of another tool are no answer",
			check: func(l *log) error { return checkAnswers(l.load(l.data).rows["tool_calls"]) }},
		{name: "accounted", why: "every record is counted by readers.Kinds or is a problem; nothing is dropped in silence",
			shapes: lineByLine, check: checkCounts},
	}
}

// wellFormed checks rules that hold for the rows of any bytes.
func wellFormed(r read) error {
	if err := panicOf(r.events); err != nil {
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

// checkAnswers checks the answers of calls.
func checkAnswers(calls []tables.Row) error {
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

func checkTimes(events []tables.Event) error {
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

func checkSessions(events []tables.Event) error {
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

func countRules() []rule {
	return []rule{
		{name: "absurd counts", shapes: files, check: absurdCounts,
			why: "a count that is negative, too large to be true, or no number is null and one problem more, which names the line: sums of such ended every load"},
	}
}

// absurd lists values that a damaged or forged log may have for a number.
var absurd = []string{"9000000000000000000", "-9000000000000000000", "1e400", "1099511627777", `"many"`, "NaN", "99999999999999999999999999"}

var numberOfKey = regexp.MustCompile(`"([A-Za-z_]+)"\s*:\s*(-?[0-9][0-9.eE+-]*)`)

// absurdCounts replaces all numbers under one key by absurd values, for each key in
// turn.
func absurdCounts(l *log) error {
	keys := map[string]bool{}
	for _, m := range numberOfKey.FindAllSubmatch(l.data, -1) {
		keys[string(m[1])] = true
	}
	before := l.load(l.data).rows
	for i, key := range slices.Sorted(maps.Keys(keys)) {
		for _, n := range []string{absurd[0], absurd[1+i%(len(absurd)-1)]} {
			instead := regexp.MustCompile(`("` + key + `"\s*:\s*)-?[0-9][0-9.eE+-]*`)
			after := l.load(instead.ReplaceAll(l.data, []byte("${1}"+n)))
			if err := soundCounts(before, after); err != nil {
				return fmt.Errorf("%s in the place of each %q: %w", n, key, err)
			}
		}
	}
	return nil
}

func soundCounts(before map[string][]tables.Row, r read) error {
	if err := panicOf(r.events); err != nil {
		return err
	}
	more := len(r.rows["problems"]) - len(before["problems"])
	for _, t := range tables.All() {
		for _, column := range tables.CountColumns(t.Name) {
			for _, row := range r.rows[t.Name] {
				if n, ok := row[column].(int64); ok && (n < 0 || n > tables.MaxCount) {
					return fmt.Errorf("%s.%s is %d", t.Name, column, n)
				}
			}
			// Without its time, a line that was written again is a row of its own.
			added := max(0, len(r.rows[t.Name])-len(before[t.Name]))
			if lost := countNulls(r.rows[t.Name], column) - countNulls(before[t.Name], column) - added; lost > 0 && more <= 0 && strings.HasSuffix(column, "_tokens") {
				return fmt.Errorf("%s.%s is null in %d rows more, and there is no problem more", t.Name, column, lost)
			}
		}
	}
	return nil
}

func countNulls(rows []tables.Row, column string) (n int) {
	for _, row := range rows {
		if row[column] == nil {
			n++
		}
	}
	return n
}
