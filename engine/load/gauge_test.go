package load

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestGaugeIsNeverTooLow: for any division into record batches, the gauge is at least
// the bytes of any 2,048 consecutive rows, and at most twice their maximum.
func TestGaugeIsNeverTooLow(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "text", Type: arrow.BinaryTypes.String}}, nil)
	for range 50 {
		var sizes []int64
		g := &gauge{bytes: make([]int64, 2), before: make([]int64, 2)}
		builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for range 1 + random.Intn(6) {
			for range random.Intn(3000) {
				size := random.Intn(10)
				if random.Intn(500) == 0 {
					size = random.Intn(20000)
				}
				sizes = append(sizes, int64(size))
				builder.Field(0).(*array.Int64Builder).Append(1)
				builder.Field(1).(*array.StringBuilder).Append(strings.Repeat("x", size))
			}
			g.add(builder.NewRecordBatch())
		}
		var most, sum int64
		for i, size := range sizes {
			if sum += size; i >= vectorRows {
				sum -= sizes[i-vectorRows]
			}
			most = max(most, sum)
		}
		if g.most < most || g.most > 2*most {
			t.Fatalf("%d rows: the gauge says %d, the most together are %d", len(sizes), g.most, most)
		}
	}
}
