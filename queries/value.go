package queries

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/suggest"
)

// ValueError is an error in a parameter's given value.
type ValueError struct {
	Name, Text string // Name of the parameter; given Text
	Err        error
}

// Error names the parameter, the given text and the error.
func (e *ValueError) Error() string { return fmt.Sprintf("%s=%s: %v", e.Name, e.Text, e.Err) }

// Unwrap returns the error of the value.
func (e *ValueError) Unwrap() error { return e.Err }

// Value returns the parameter's value for a given text. If the parameter has
// [Param.Values], the result is the matching value, in any case. An empty text, which
// means NULL, and any text for other parameters are returned unchanged. An unknown
// value is a [*ValueError].
func (p *Param) Value(text string) (string, error) {
	if p.Values == nil || text == "" {
		return text, nil
	}
	value, err := OneOf(text, p.Values)
	if err != nil {
		return "", &ValueError{p.Name, text, err}
	}
	return value, nil
}

// Proposed returns values for completion: all values of a closed set, common moments,
// or none.
func (p *Param) Proposed() []string {
	switch {
	case p.Values != nil:
		return p.Values
	case p.IsMoment():
		return []string{"today", "yesterday", "7d", "30d", "monday", "this-week", "last-week", "this-month", "last-month"}
	case p.Name == during:
		return []string{"today", "yesterday", "7d", "30d", "this-week", "last-week", "this-month", "last-month"}
	}
	return nil
}

// OneOf returns the value that matches a text in any case. The error lists the values
// and suggests the most similar one.
func OneOf(text string, values []string) (string, error) {
	if i := slices.IndexFunc(values, func(v string) bool { return strings.EqualFold(v, text) }); i >= 0 {
		return values[i], nil
	}
	return "", errors.New("unknown" + suggest.Ask(text, values, "one of "+strings.Join(values, ", ")))
}
