package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"hindsql/internal/suggest"
)

// arguments are the arguments of a tool's call.
type arguments struct {
	bounds
	sql, name, cursor string
	params            map[string]json.RawMessage
}

// ofBounds lists the arguments that every tool takes: the page to return, and the
// bounds of its size.
var ofBounds = []string{"cursor", "max_rows", "max_chars", "cell_chars"}

// readArguments reads the arguments of a call. takes names the arguments of this tool
// only, the first of which is required except in describe. Error texts address the
// model that sent the arguments.
func readArguments(tool string, takes []string, raw json.RawMessage) (*arguments, error) {
	sent := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &sent); err != nil {
			return nil, fmt.Errorf("%s: arguments are an object, such as {%q: …}", tool, takes[0])
		}
	}
	a := &arguments{bounds: bounds{Chars: usualChars, Cell: usualCell}}
	if tool == "run" {
		a.Said = usualSaid
	}
	known := slices.Concat(takes, ofBounds)
	for name, value := range sent {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%s: no argument %q%s", tool, oneLine(name), suggest.Ask(name, known, "it takes "+strings.Join(known, ", ")))
		}
		if err := a.read(name, value); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", tool, name, err)
		}
	}
	if need := takes[0]; tool != "describe" && strings.TrimSpace(a.sql+a.name) == "" {
		return nil, fmt.Errorf("%s: %s is missing", tool, need)
	}
	return a, nil
}

func (a *arguments) read(name string, value json.RawMessage) (err error) {
	if string(value) == "null" {
		return nil
	}
	var n int64
	switch name {
	case "sql":
		return textOf(value, &a.sql)
	case "name":
		return textOf(value, &a.name)
	case "cursor":
		return textOf(value, &a.cursor)
	case "params":
		if json.Unmarshal(value, &a.params) != nil {
			return fmt.Errorf(`an object of values by their names, such as {"since": "7d"}`)
		}
	case "max_rows":
		a.Rows, err = number(value, 1, mostRows)
	case "max_chars":
		n, err = number(value, leastChars, most)
		a.Chars = int(n)
	case "cell_chars":
		n, err = number(value, leastCell, mostCell)
		a.Cell, a.Said = int(n), 0
	}
	return err
}

func textOf(value json.RawMessage, to *string) error {
	if json.Unmarshal(value, to) != nil {
		return fmt.Errorf("a text")
	}
	return nil
}

// number reads a whole number, plain or in quotes.
func number(value json.RawMessage, least, most int64) (int64, error) {
	text := strings.TrimSuffix(strings.Trim(string(value), `"`), ".0")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("a whole number from %d to %d", least, most)
	}
	return n, nil
}

// values returns the params as SQL values: texts, numbers, true, false and null.
func (a *arguments) values() (map[string]any, error) {
	values := map[string]any{}
	for name, raw := range a.params {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("params: %s: %w", oneLine(name), err)
		}
		switch v := v.(type) {
		case nil, string, bool:
			values[name] = v
		case json.Number:
			values[name] = plainNumber(v)
		default:
			return nil, fmt.Errorf("params: %s: a text, a number, true, false or null", oneLine(name))
		}
	}
	return values, nil
}

func plainNumber(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, _ := n.Float64()
	return f
}

// words returns params as words of the form param=value, sorted, as saved queries take
// them.
func (a *arguments) words() ([]string, error) {
	values, err := a.values()
	if err != nil {
		return nil, err
	}
	var list []string
	for name, v := range values {
		text := ""
		if v != nil {
			text = fmt.Sprint(v)
		}
		list = append(list, name+"="+text)
	}
	sort.Strings(list)
	return list, nil
}
