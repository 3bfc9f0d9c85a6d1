package rowdiff

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func TestDifferenceOfRows(t *testing.T) {
	t.Parallel()
	stored := []Row{{1, 10}, {2, 11}, {2, 12}, {2, 13}, {3, 14}}
	given := []Row{{Hash: 2}, {Hash: 4}, {Hash: 2}, {Hash: 3}, {Hash: 3}}
	gone, added := Diff(stored, given)
	if want := []int64{10, 13}; !slices.Equal(gone, want) {
		t.Errorf("gone %v, want %v", gone, want)
	}
	if want := []int{1, 4}; !slices.Equal(added, want) {
		t.Errorf("added %v, want %v", added, want)
	}
}

func TestPickedRows(t *testing.T) {
	t.Parallel()
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil))
	defer b.Release()
	var records []arrow.RecordBatch
	for n := range int64(9) {
		b.Field(0).(*array.Int64Builder).Append(n)
		if n%3 == 2 {
			records = append(records, b.NewRecordBatch())
		}
	}
	defer Release(records)
	want := []int{0, 2, 3, 4, 8}
	rows := SelectRows(records, want)
	defer Release(rows)
	var got []int
	for _, r := range rows {
		for _, n := range r.Column(0).(*array.Int64).Int64Values() {
			got = append(got, int(n))
		}
	}
	if !slices.Equal(got, want) || len(rows) != 4 {
		t.Errorf("got %v in %d slices, want %v in 4", got, len(rows), want)
	}
}
