package mcp

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
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

func readPlace(text string) (p place, ok bool) {
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

// readLocator parses an address. The name may be plain or URL-escaped. It may contain a
// colon (an id with the index of a message), or a slash (the id of a subagent's
// session).
func readLocator(uri string) (l locator, err error) {
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
	if l.from, ok = readPlace(values.Get("from")); !ok {
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
