package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hindsql/engine/conversation"
)

// perPage is how many events a page has.
const perPage = 25

// listing is a page with a list of events.
type listing struct {
	*filters
	Pager
	Events any
	Nouns  string // what the events are
	Rows   string // URL of the same as rows of a saved query; empty where that can't be
	Hint   string // what to know about them
}

// Pager says which part of a list is shown, and leads to the others.
type Pager struct {
	First, To, Count int64 // 1-based; a First of 0: none is shown
	Prev, Next, Last string
	Missing          bool // there is no such page
}

func (q *request) pager(page, each int, count int64) Pager {
	p := Pager{Count: count, First: int64(page-1)*int64(each) + 1}
	p.To = min(p.First+int64(each)-1, count)
	at := func(n int64) string { return q.with("page", fmt.Sprint(n)) }
	last := max(1, (count+int64(each)-1)/int64(each))
	if p.First > count {
		p.Missing, p.First, p.To = page > 1, 0, 0
		if p.Missing {
			p.Last = at(last)
		}
		return p
	}
	if page > 1 {
		p.Prev = at(int64(page) - 1)
	}
	if int64(page) < last {
		p.Next = at(int64(page) + 1)
	}
	return p
}

// inQuery reads events of a built-in query, whose parameters the fields are called as.
func inQuery[T any](q *request, f *filters, name string, read func(e *events, ctx context.Context, given map[string]any, from, most int64) ([]T, error)) reading[T] {
	return func(ctx context.Context, _ conversation.Run, filter conversation.Filter) ([]T, int64, error) {
		given, e := f.given(), q.events()
		count, err := e.count(ctx, name, given)
		if err != nil || count <= int64(filter.Offset) {
			return nil, count, err
		}
		list, err := read(e, ctx, given, int64(filter.Offset), int64(filter.Top))
		return list, count, err
	}
}

// given are the values of the fields, as a query's parameters.
func (f *filters) given() map[string]any {
	given := map[string]any{}
	for _, l := range f.Fields {
		given[l.Name] = l.Value
		if l.Name == "agent" {
			given[l.Name] = strings.ToLower(l.Value)
		}
	}
	for name, at := range map[string]time.Time{"since": f.Span.Period.Since, "until": f.Span.Period.Until} {
		if !at.IsZero() {
			given[name] = at
		}
	}
	return given
}

// reading gives events of a kind, and how many match.
type reading[T any] func(context.Context, conversation.Run, conversation.Filter) ([]T, int64, error)

// listed is the page of a kind of events, by the template of the name.
func listed[T any](q *request, title, name string, f *filters, l listing, read reading[T]) (*view, error) {
	l.filters = f
	v := &view{Title: title, Template: name, Nav: "/" + name, Live: true}
	if f.IsWrong() {
		v.Data, v.Status = l, http.StatusBadRequest
		return v, nil
	}
	f.Filter.Top, f.Filter.Offset = perPage, (f.Page-1)*perPage
	list, count, err := read(q.Context(), q.run, f.Filter)
	if err != nil {
		return nil, err
	}
	l.Events, l.Pager = list, q.pager(f.Page, perPage, count)
	if v.Data = l; l.Missing {
		v.Status = http.StatusNotFound
	}
	return v, nil
}

// rowsURL leads to the saved query that gives the same as rows.
func (f *filters) rowsURL(query string) string {
	v := url.Values{}
	for _, l := range f.Fields {
		switch {
		case l.Value == "" || l.Value == l.usual:
		default:
			v.Set(l.Name, l.Value)
		}
	}
	for name, value := range map[string]string{"during": f.Span.During, "since": f.Span.Since, "until": f.Span.Until} {
		if value != "" {
			v.Set(name, value)
		}
	}
	at := "/query/" + query
	if len(v) > 0 {
		at += "?" + v.Encode()
	}
	return at
}
