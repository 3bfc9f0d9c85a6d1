package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
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

// parseArguments parses the arguments of a call. takes names the arguments of this tool
// only, the first of which is required except in describe. Error texts address the
// model that sent the arguments.
func parseArguments(tool string, takes []string, raw json.RawMessage) (*arguments, error) {
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
		if err := a.set(name, value); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", tool, name, err)
		}
	}
	if need := takes[0]; tool != "describe" && strings.TrimSpace(a.sql+a.name) == "" {
		return nil, fmt.Errorf("%s: %s is missing", tool, need)
	}
	return a, nil
}

func (a *arguments) set(name string, value json.RawMessage) (err error) {
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

// number parses a whole number, plain or in quotes.
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

// bounds hold the limits of an answer's size.
type bounds struct {
	Rows  int64 // 0 if the caller set no max_rows
	Chars int   // characters of structured content and text together
	Cell  int   // characters of a cell
	Said  int   // characters of a text of a saved query, if the caller set no cell_chars; 0: Cell
	Text  bool  // the answer is only the text, without structured content
}

// Defaults and bounds of the arguments. The schemas repeat the numbers.
const (
	usualRows, mostRows            = 100, 1000
	usualChars, leastChars, most   = 20_000, 1000, 200_000
	usualCell, leastCell, mostCell = 500, 20, 200_000
	// usualSaid is less than usualCell: a row of a saved query has several texts, and a
	// refused plan averages 8,900 characters.
	usualSaid = 140
)

// scheme is the beginning of every resource's address.
const scheme = "hindsql://"

// The kinds of resources, as in their addresses: hindsql://tables/NAME.
const (
	tablesKind, queriesKind, sessionKind = "tables", "queries", "session"
)

// locator is the parsed address of a resource.
type locator struct {
	kind, name string
	from       place // beginning of the page; the zero value is the first page
}

// place is where a page begins in a text: in the part with the index part, after behind
// of its characters, which are on earlier pages.
type place struct{ part, behind int }

func (p place) text() string {
	if p.behind == 0 {
		return strconv.Itoa(p.part)
	}
	return fmt.Sprintf("%d.%d", p.part, p.behind)
}

func parsePlace(text string) (p place, ok bool) {
	if text == "" {
		return p, true
	}
	part, behind, both := strings.Cut(text, ".")
	var err, err2 error
	if p.part, err = strconv.Atoi(part); both {
		p.behind, err2 = strconv.Atoi(behind)
	}
	return p, err == nil && err2 == nil && p.part >= 0 && p.behind >= 0
}

// parseLocator parses an address. The name may be plain or URL-escaped. It may contain a
// colon (an id with the index of a message), or a slash (the id of a subagent's
// session).
func parseLocator(uri string) (l locator, err error) {
	rest, ok := strings.CutPrefix(uri, scheme)
	kind, rest, ok2 := strings.Cut(rest, "/")
	name, query, _ := strings.Cut(rest, "?")
	if !ok || !ok2 {
		return l, fmt.Errorf("no address of a resource; those are %s%s/NAME, %s%s/NAME and %s%s/ID", scheme, tablesKind, scheme, queriesKind, scheme, sessionKind)
	}
	l.kind = kind
	if l.name, err = url.PathUnescape(name); err != nil {
		return l, fmt.Errorf("%q is not escaped as addresses are", oneLine(name))
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return l, fmt.Errorf("%q is not written as in an address", oneLine(query))
	}
	for name := range values {
		if name != "from" {
			return l, fmt.Errorf("no parameter %q; from is one", oneLine(name))
		}
	}
	if l.from, ok = parsePlace(values.Get("from")); !ok {
		return l, fmt.Errorf("from=%s: is no place; it is what the page before ended with", oneLine(values.Get("from")))
	}
	return l, nil
}

// uri returns the address in the escaped form that matches the resource's template.
func (l locator) uri() string {
	l.name = strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(l.name), "+", "%20"), "%2C", ",")
	return l.shown()
}

// shown returns the address as people write it.
func (l locator) shown() string {
	uri := scheme + l.kind + "/" + l.name
	if l.from != (place{}) {
		uri += "?from=" + l.from.text()
	}
	return uri
}
