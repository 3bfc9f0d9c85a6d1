package queries

import (
	"slices"
	"testing"
)

// TestGroups: each query is in one group, and a query of the user's is in the first.
func TestGroups(t *testing.T) {
	t.Parallel()
	all, err := All("")
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, &Query{Name: "tokens-of-mine", Path: "/q/tokens-of-mine.sql"})
	n := 0
	groups := Groups(all)
	for _, g := range groups {
		n += len(g.Queries)
	}
	if n != len(all) {
		t.Errorf("%d queries in groups, of %d", n, len(all))
	}
	if own := groups[0]; own.Title != ownTitle || len(own.Queries) != 1 || own.Queries[0].Name != "tokens-of-mine" {
		t.Errorf("%+v", own)
	}
	if !slices.ContainsFunc(groups, func(g Group) bool {
		return g.Title == "Compactions and clears" && slices.ContainsFunc(g.Queries, func(q *Query) bool { return q.Name == "clears" })
	}) {
		t.Errorf("clears is elsewhere: %+v", groups)
	}
	if all := Groups(all[:1]); len(all) != 1 {
		t.Errorf("empty groups: %+v", all)
	}
}
