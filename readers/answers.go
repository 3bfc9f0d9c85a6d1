package readers

import (
	"slices"
	"strings"
)

// SplitPicked splits an answer such as "A, B, and my own words" into the labels picked
// and the person's words. Labels are found at the beginning and at the end, the longest
// first, because a label may hold a comma.
func SplitPicked(labels []string, answer string) (picked []string, words string) {
	left := answer
	for left != "" {
		label, found := longest(labels, func(l string) bool { return left == l || strings.HasPrefix(left, l+", ") })
		if !found {
			break
		}
		picked = append(picked, label)
		left = strings.TrimPrefix(left[len(label):], ", ")
	}
	var last []string
	for left != "" {
		label, found := longest(labels, func(l string) bool { return strings.HasSuffix(left, ", "+l) })
		if !found {
			break
		}
		last = append(last, label)
		left = strings.TrimSuffix(left, ", "+label)
	}
	slices.Reverse(last)
	return append(picked, last...), left
}

func longest(labels []string, fits func(string) bool) (label string, found bool) {
	for _, l := range labels {
		if l != "" && len(l) >= len(label) && fits(l) {
			label, found = l, true
		}
	}
	return label, found
}
