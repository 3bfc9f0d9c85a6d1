package queries

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/internal/suggest"
)

// during is the parameter that stands for since and until, of queries that have
// both: a period.
const during = "during"

// Given reads words for [Query.Bind]: each is param=value, or is written as a
// flag, --param=value or --param value. A value of a closed set may be in any
// case. Where a query has since and until, during=PERIOD stands for both.
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

// spans says that the query is of a period, and has no parameter of its own
// called during.
func (q *Query) spans() bool {
	since, until := q.Param("since"), q.Param("until")
	return since != nil && until != nil && since.IsMoment() && until.IsMoment() && q.Param(during) == nil
}

// Takes lists all that may be given: the parameters, and during where it stands
// for two of them.
func (q *Query) Takes() []Param {
	list := slices.Clone(q.Params)
	if q.spans() {
		list = append(list, Param{Name: during, Type: "VARCHAR", Default: "NULL", Doc: "since and until at once: yesterday, \"last week\", 2026-02"})
	}
	return list
}

// noValue is the error of a word that is no parameter with its value.
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

// NoParam is the error of a parameter that the query doesn't have.
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
