package queries

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/suggest"
)

// ValueError is an error in a value that was given for a parameter.
type ValueError struct {
	Name, Text string // of the parameter, and what was given
	Err        error
}

// Error names the parameter, as it was given, and what is wrong.
func (e *ValueError) Error() string { return fmt.Sprintf("%s=%s: %v", e.Name, e.Text, e.Err) }

// Unwrap is the error of the value itself.
func (e *ValueError) Unwrap() error { return e.Err }

// Value is a given text as the parameter takes it: of one that has [Param.Values]
// the value itself, in whatever case it was written. An empty text, which is
// NULL, and any text for another parameter are given back as they are. A text
// that is no value is a [*ValueError].
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

// Proposed are values to complete: all of a closed set, of moments those that are
// asked for most, else none.
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

// OneOf is that of the values which a text spells in any case. The error lists
// them, and says which the text may have been meant for.
func OneOf(text string, values []string) (string, error) {
	if i := slices.IndexFunc(values, func(v string) bool { return strings.EqualFold(v, text) }); i >= 0 {
		return values[i], nil
	}
	return "", errors.New("unknown" + suggest.Ask(text, values, "one of "+strings.Join(values, ", ")))
}
