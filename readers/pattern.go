package readers

import "hindsql/internal/pattern"

// Pattern is a regular expression, compiled at first use.
type Pattern = pattern.Pattern

// Lazy returns a Pattern. Its first use panics if the text isn't a regular expression.
func Lazy(text string) *Pattern { return pattern.Lazy(text) }
