package sandbox

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"hindsql/internal/result"
)

// rowsOf returns a batch of rows like a load's: a few numbers and one text.
func rowsOf(n, size int) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.PrimitiveTypes.Int64}, {Name: "t", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		b.Field(2).(*array.StringBuilder).Append(fmt.Sprintf("%0*d", size, i))
	}
	return b.NewRecordBatch()
}

// BenchmarkFeed measures encoding and decoding of rows from a parent to its worker.
func BenchmarkFeed(b *testing.B) {
	batch := rowsOf(20_000, 800)
	messages, err := Encode([]arrow.RecordBatch{batch}, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(messages[0])))
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(messages[0])))
		for b.Loop() {
			if _, err := Encode([]arrow.RecordBatch{batch}, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(messages[0])))
		for b.Loop() {
			if _, err := DecodeTrusted(messages[0]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkAnswer measures a result of 100 rows on the way back, up to Go's values.
func BenchmarkAnswer(b *testing.B) {
	batch := rowsOf(100, 80)
	cells, row := NewCells(result.Columns("a BIGINT", "b BIGINT", "t VARCHAR"), nil), make([]any, 3)
	for b.Loop() {
		messages, err := Encode([]arrow.RecordBatch{batch}, MostMessage)
		if err != nil {
			b.Fatal(err)
		}
		batches, err := Decode(messages[0])
		if err != nil {
			b.Fatal(err)
		}
		rows, err := cells.Of(batches[0])
		if err != nil {
			b.Fatal(err)
		}
		for i := range 100 {
			if err := rows.Read(i, row); err != nil {
				b.Fatal(err)
			}
		}
	}
}
