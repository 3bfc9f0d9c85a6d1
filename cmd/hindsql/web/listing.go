package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"hindsql/queries/conversation"
)

// perPage is the number of events on a page.
const perPage = 25

// listing is the data of a page that lists events, such as refusals.
type listing struct {
	*filters
	Pager
	Kinds  []place // links to the pages of other events; nil if the navigation has the page itself
	Events any
	Nouns  string // plural name of the events
	Rows   string // URL of the saved query with the same rows; empty if no query has the rows
	Hint   string // explains the events
}

// Pager holds the shown part of a list, and links to other parts.
type Pager struct {
	First, To, Count int64 // 1-based; a First of 0 means an empty part
	Prev, Next, Last string
	Missing          bool // the list has no such page
}

func (a *asked) pager(page, each int, count int64) Pager {
	p := Pager{Count: count, First: int64(page-1)*int64(each) + 1}
	p.To = min(p.First+int64(each)-1, count)
	at := func(n int64) string { return a.with("page", fmt.Sprint(n)) }
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

// reading is a function that reads events of one kind, such as refusals: at most most
// events, after the first from. It also returns the number of all events that match the
// page's filters.
type reading[T any] func(ctx context.Context, from, most int64) ([]T, int64, error)

// inQuery returns a reading of the events in a built-in query. read reads the rows.
func inQuery[T any](q *request, f *filters, name string, read func(e *events, ctx context.Context, given map[string]any, from, most int64) ([]T, error)) reading[T] {
	return func(ctx context.Context, from, most int64) ([]T, int64, error) {
		given, e := f.given(), q.events()
		count, err := e.count(ctx, name, given)
		if err != nil || count <= from {
			return nil, count, err
		}
		list, err := read(e, ctx, given, from, most)
		return list, count, err
	}
}

// inEngine returns a reading for a list without a saved query. read is a function of
// package conversation.
func inEngine[T any](q *request, f *filters, read func(context.Context, conversation.Run, conversation.Filter) ([]T, int64, error)) reading[T] {
	return func(ctx context.Context, from, most int64) ([]T, int64, error) {
		filter := f.filter()
		filter.Offset, filter.Top = int(from), int(most)
		return read(ctx, q.run, filter)
	}
}

// listed returns a page that lists events of one kind, such as refusals. name is both
// the template's name and the page's path.
func listed[T any](q *request, title, name string, f *filters, l listing, read reading[T]) (*view, error) {
	l.filters = f
	v := &view{Title: title, Template: name, Nav: "/" + name, Live: true}
	if slices.ContainsFunc(eventPages, func(p place) bool { return p.URL == v.Nav }) {
		for _, p := range eventPages {
			p.Here = p.URL == v.Nav
			l.Kinds = append(l.Kinds, p)
		}
		v.Nav = eventPages[0].URL
	}
	if f.IsWrong() {
		v.Data, v.Status = l, http.StatusBadRequest
		return v, nil
	}
	list, count, err := read(q.Context(), int64(f.Page-1)*perPage, perPage)
	if err != nil {
		return nil, err
	}
	l.Events, l.Pager = list, q.pager(f.Page, perPage, count)
	if v.Data = l; l.Missing {
		v.Status = http.StatusNotFound
	}
	return v, nil
}
