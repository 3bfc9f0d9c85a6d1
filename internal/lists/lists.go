// Package lists makes a list or a text of the elements of a list.
package lists

import "strings"

// Map returns the function's result for each element; nil for an empty list.
func Map[E, R any](list []E, of func(E) R) []R {
	if len(list) == 0 {
		return nil
	}
	results := make([]R, len(list))
	for i, e := range list {
		results[i] = of(e)
	}
	return results
}

// Filter returns the elements for which the function is true; nil for none.
func Filter[E any](list []E, is func(E) bool) (some []E) {
	for _, e := range list {
		if is(e) {
			some = append(some, e)
		}
	}
	return some
}

// Join returns the function's text for each element, with the separator between the texts.
func Join[E any](list []E, separator string, of func(E) string) string {
	return strings.Join(Map(list, of), separator)
}
