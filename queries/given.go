package queries

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/internal/suggest"
)

// during is the parameter for a period, in place of since and until. Queries with both
// parameters accept during.
const during = "during"

// Given reads words for [Query.Bind]: param=value, or a flag, --param=value or --param
// value. Values of a closed set are matched in any case. If a query has since and
// until, during=PERIOD sets both.
func (q *Query) Given(words []string) (map[string]any, error) {
	given := map[string]any{}
	for i := 0; i < len(words); i++ {
		name, value, ok := strings.Cut(words[i], "=")
		if flag, is := strings.CutPrefix(name, "--"); is {
			name = strings.ReplaceAll(flag, "-", "_")
			if !ok && i+1 < len(words) {
				i++
				value, ok = words[i], true
			}
		}
		if !ok {
			return nil, q.noValue(words[i])
		}
		if err := q.give(given, name, value); err != nil {
			return nil, err
		}
	}
	if given[during] != nil && q.spans() && (given["since"] != nil || given["until"] != nil) {
		return nil, errors.New("during=…: is since and until at once; give either it or those")
	}
	return given, nil
}

func (q *Query) give(given map[string]any, name, value string) error {
	p := q.Param(name)
	_, twice := given[name]
	switch {
	case p == nil && !(name == during && q.spans()):
		return q.NoParam(name)
	case twice:
		return fmt.Errorf("%s=%s: %s is given twice", name, value, name)
	case p != nil:
		var err error
		if value, err = p.Value(value); err != nil {
			return err
		}
	}
	given[name] = value
	return nil
}

// spans reports whether the query has a period, since and until, and no parameter of
// its own called during.
func (q *Query) spans() bool {
	since, until := q.Param("since"), q.Param("until")
	return since != nil && until != nil && since.IsMoment() && until.IsMoment() && q.Param(during) == nil
}

// Takes lists all accepted parameters, including during if the query accepts a period.
func (q *Query) Takes() []Param {
	list := slices.Clone(q.Params)
	if q.spans() {
		list = append(list, Param{Name: during, Type: "VARCHAR", Default: "NULL", Doc: "since and until at once: yesterday, \"last week\", 2026-02"})
	}
	return list
}

// noValue returns the error for a word without a value.
func (q *Query) noValue(word string) error {
	such := ""
	if q.Param(word) != nil {
		return fmt.Errorf("%s: a value stands behind =, as in %s=…, or behind a flag, as in --%s …; one with spaces needs quotes", word, word, strings.ReplaceAll(word, "_", "-"))
	}
	if _, _, ok := period(word, time.Now()); ok && q.Param("since") != nil {
		such = ", such as since=" + word
	}
	return fmt.Errorf("%s: write param=value%s; %s takes %s", word, such, q.Name, q.paramNames())
}

// NoParam returns the error for a parameter that the query lacks.
func (q *Query) NoParam(name string) error {
	return fmt.Errorf("%s has no parameter %q%s", q.Name, name, suggest.Ask(name, q.names(), q.Name+" takes "+q.paramNames()))
}

func (q *Query) names() []string {
	var names []string
	for _, p := range q.Params {
		names = append(names, p.Name)
	}
	return names
}

func (q *Query) paramNames() string {
	if len(q.Params) == 0 {
		return "none"
	}
	return strings.Join(q.names(), ", ")
}
