package readers

import (
	"slices"
	"testing"
)

// TestSplitPicked: labels are told from words, also labels with commas, and those that
// begin like another.
func TestSplitPicked(t *testing.T) {
	labels := []string{"Yes", "Yes, always", "No"}
	for _, c := range []struct {
		answer string
		picked []string
		words  string
	}{
		{"", nil, ""},
		{"Yes", []string{"Yes"}, ""},
		{"Yes, always", []string{"Yes, always"}, ""},
		{"Yes, No", []string{"Yes", "No"}, ""},
		{"Yes, No, but later", []string{"Yes", "No"}, "but later"},
		{"but later, No", []string{"No"}, "but later"},
		{"No, but, later, Yes", []string{"No", "Yes"}, "but, later"},
		{"Yesterday", nil, "Yesterday"},
		{"yes", nil, "yes"},
		{"Nope, No way", nil, "Nope, No way"},
	} {
		if picked, words := splitLabels(labels, c.answer); !slices.Equal(picked, c.picked) || words != c.words {
			t.Errorf("%q: %q and %q, want %q and %q", c.answer, picked, words, c.picked, c.words)
		}
	}
	if picked, words := splitLabels([]string{""}, ", "); picked != nil || words != ", " {
		t.Errorf("an empty label: %q and %q", picked, words)
	}
}
