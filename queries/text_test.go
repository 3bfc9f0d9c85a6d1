package queries

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hindsql/internal/chart"
)

// TestTextIsRead: Parse reads the file that Text writes.
func TestTextIsRead(t *testing.T) {
	for _, q := range []*Query{
		{Name: "a", Title: "one", Prose: "One.", SQL: "SELECT 1"},
		{Name: "a-b", Title: "two", Prose: "Two.\nStill two.\n\nThree.", Format: "line", Example: "hindsql run a-b y=a",
			Row: "pull request", Total: true, Card: [][]string{{"a", "b"}, {"c"}}, Hidden: []string{"d"},
			Chart: &chart.Declaration{Kind: chart.Bar, Label: []string{"a", "b"}, Value: "c", Unit: chart.Tokens, Except: "all", Place: "a-b.sql:12"},
			SQL:   "-- not a header\nSELECT $x, $y", Params: []Param{
				{Name: "x", Type: "DECIMAL(4, 2)", Default: "1 / 2", Doc: "a number"},
				{Name: "y", Type: "VARCHAR", Default: "NULL", Doc: "y", Values: []string{"a", "b-c"}},
			}},
	} {
		text := Text(q)
		got, err := Parse(q.Name, text)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		if diff := cmp.Diff(q, got, cmpopts.IgnoreFields(Query{}, "SQL"), cmpopts.IgnoreUnexported(Param{}, Query{})); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	for name, want := range map[string]bool{"a": true, "a-1": true, "": false, "A": false, "a_b": false, "-a": false, "../a": false} {
		if IsName(name) != want {
			t.Errorf("IsName(%q) is not %v", name, want)
		}
	}
}
