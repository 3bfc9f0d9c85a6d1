package sqltext

import "strings"

// WordSet returns the set of the words in a list, which are separated by white space.
func WordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
