package tables

import (
	"slices"
	"testing"
)

func TestConditionsFallIntoTerms(t *testing.T) {
	const condition = `EXISTS (FROM a WHERE b OR c IN (FROM d)) OR EXISTS (SELECT e FROM f GROUP BY e) OR (SELECT count(*) FROM g WHERE h = ' OR (') > 3`
	var got []string
	for _, term := range orTerms(condition) {
		got = append(got, termQuery(7, term))
	}
	want := []string{
		"SELECT 7 AS step FROM a WHERE b OR c IN (FROM d)",
		"SELECT 7 AS step FROM (SELECT e FROM f GROUP BY e)",
		"SELECT 7 AS step WHERE (SELECT count(*) FROM g WHERE h = ' OR (') > 3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
