package sandbox

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"hindsql/internal/result"
)

const someRows = `SELECT range AS n, range::VARCHAR AS t, [range, NULL] AS l, {'a': [range::VARCHAR]} AS s, MAP{range: true} AS m,
	[1, 2]::INTEGER[2] AS f, CAST(union_value(x := range) AS UNION("null" BOOLEAN, x BIGINT)) AS u, 1.5::DECIMAL(4, 1) AS d, NULL::TIMESTAMPTZ AS z FROM range(%s)`

var someColumns = result.Columns("n BIGINT", "t VARCHAR", "l BIGINT[]", "s STRUCT(a VARCHAR[])", "m MAP(BIGINT, BOOLEAN)",
	"f INTEGER[2]", "u UNION(x BIGINT)", "d DECIMAL(4,1)", "z TIMESTAMP WITH TIME ZONE")

func messagesOf(t testing.TB, query string, most int) (messages [][]byte) {
	t.Helper()
	err := records(memoryConn(t), query, func(r array.RecordReader) error {
		return EncodeAll(r, most, func(message []byte) error {
			messages = append(messages, message)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

// TestEncodeFits: batches are cut into messages that fit, with all rows in order.
func TestEncodeFits(t *testing.T) {
	for _, most := range []int{3000, 20_000, MostMessage} {
		next := int64(0)
		messages := messagesOf(t, strings.ReplaceAll(someRows, "%s", "5000"), most)
		for _, message := range messages {
			if len(message) > most || len(message) == 0 {
				t.Errorf("a message has %d bytes, %d at most", len(message), most)
			}
			batches, err := Decode(message)
			if err != nil {
				t.Fatal(err)
			}
			for _, batch := range batches {
				for i, n := range batch.Column(0).(*array.Int64).Int64Values() {
					if text := batch.Column(1).(*array.String).Value(i); n != next || text != batch.Column(0).ValueStr(i) {
						t.Fatalf("row %d is %d %s", next, n, text)
					}
					next++
				}
			}
		}
		if next != 5000 {
			t.Errorf("%d rows of 5000 came in messages of %d bytes", next, most)
		}
		if most == MostMessage && len(messages) > 2 {
			t.Errorf("%d messages carry less than a megabyte", len(messages))
		}
	}
}

// TestCut: parts of parts of batches are written without change.
func TestCut(t *testing.T) {
	conn := memoryConn(t)
	for _, value := range []string{
		"[range, NULL]", "{'a': range}", "MAP{range: true}", "[1, 2]::INTEGER[2]", "range % 2 = 0", "NULL::VARCHAR", "if(range % 3 = 0, NULL, range % 2 = 0)",
		"if(range % 3 = 0, NULL, [range])", "if(range % 3 = 0, NULL, {'a': [range::VARCHAR]})", "if(range % 3 = 0, 'x'::UNION(a INTEGER, b VARCHAR), 5::INTEGER::UNION(a INTEGER, b VARCHAR))",
		"[[{'u': union_value(x := range)}]]", "if(range % 3 = 0, NULL, MAP{range::VARCHAR: [1]})", "['a', range::VARCHAR]::VARCHAR[2]",
	} {
		err := records(conn, "SELECT "+value+" AS a FROM range(2955)", func(r array.RecordReader) error {
			for r.Next() {
				n := r.RecordBatch().NumRows()
				for _, part := range [][2]int64{{0, n}, {0, n / 2}, {n / 2, n}, {1, n}, {3, n - 2}, {n - 1, n}, {n, n}} {
					once := cut(r.RecordBatch(), part[0], part[1])
					k := once.NumRows()
					for _, b := range []arrow.RecordBatch{once, cut(once, 0, k/2), cut(once, k/2, k), cut(once, k/4, k/2)} {
						message, err := encode([]arrow.RecordBatch{b}, 0)
						if err != nil {
							return err
						}
						if got, err := Decode(message); err != nil || !array.RecordEqual(got[0], b) {
							t.Errorf("%s: rows %v: %v", value, part, err)
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", value, err)
		}
	}
}

// TestEncodeWhatDoesNotFit: a row that is too large is an error if messages are
// bounded, and is sent whole if not.
func TestEncodeWhatDoesNotFit(t *testing.T) {
	conn := memoryConn(t)
	err := records(conn, "SELECT repeat('x', 100000) AS t FROM range(3)", func(r array.RecordReader) error {
		return EncodeAll(r, 50_000, func([]byte) error { return nil })
	})
	if err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a row of 100,000 bytes in a message of 50,000: %v", err)
	}
	err = records(conn, "SELECT repeat('x', 70000000) AS t", func(r array.RecordReader) error {
		r.Next()
		messages, err := Encode([]arrow.RecordBatch{r.RecordBatch()}, 0)
		if err != nil || len(messages) != 1 {
			t.Fatal(len(messages), err)
		}
		batches, err := DecodeTrusted(messages[0])
		if err != nil || len(batches[0].Column(0).(*array.String).Value(0)) != 70_000_000 {
			t.Error(err)
		}
		if _, err := Decode(messages[0]); err == nil {
			t.Error("a stranger's message of 70 MB was taken")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	// Lists of booleans are small in DuckDB, but large in Go.
	err = records(conn, "SELECT list(true) AS l FROM range(17000000)", func(r array.RecordReader) error {
		return EncodeAll(r, MostMessage, func([]byte) error { return nil })
	})
	if err == nil {
		t.Error("17,000,000 values in a row were sent")
	}
}

// TestDecodeRefuses: Decode refuses messages that [Encode] never writes.
func TestDecodeRefuses(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.StringBuilder).AppendValues([]string{"a", "\xff"}, nil)
	invalid := b.NewRecordBatch()
	b.Field(0).(*array.StringBuilder).AppendValues([]string{strings.Repeat("a", 1000)}, nil)
	long := b.NewRecordBatch()

	var to filled
	w := ipc.NewWriter(&to, ipc.WithSchema(schema), ipc.WithZstd())
	if err := w.Write(long); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dictionary := messagesOf(t, "SELECT 'a'::ENUM('a', 'b') AS e", 0)[0]
	notUTF8, err := encode([]arrow.RecordBatch{invalid}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, message := range map[string][]byte{"compressed": to.bytes, "a dictionary": dictionary, "no UTF-8": notUTF8, "nothing": nil} {
		if _, err := Decode(message); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// TestDecodeDamaged: changed bytes in a message give an error, or rows whose cells can
// all be read.
func TestDecodeDamaged(t *testing.T) {
	message := messagesOf(t, strings.ReplaceAll(someRows, "%s", "20"), MostMessage)[0]
	random, refused := rand.New(rand.NewPCG(1, 2)), 0
	for range 4_000 {
		changed := append([]byte{}, message...)
		for range 1 + random.IntN(3) {
			at := random.IntN(len(changed))
			changed[at] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(random.Uint32())}[random.IntN(6)]
		}
		if random.IntN(10) == 0 {
			changed = changed[:random.IntN(len(changed))]
		}
		if !readAll(changed, someColumns) {
			refused++
		}
	}
	if refused < 400 || refused > 3_990 {
		t.Errorf("%d of 4,000 damaged messages were refused", refused)
	}
}

// readAll reads a message as a parent does.
func readAll(message []byte, columns []result.Column) bool {
	batches, err := Decode(message)
	if err != nil {
		return false
	}
	cells, row := NewCells(columns, time.UTC), make([]any, len(columns))
	for _, batch := range batches {
		rows, err := cells.Of(batch)
		if err != nil {
			return false
		}
		for i := range int(batch.NumRows()) {
			if rows.Read(i, row) != nil {
				return false
			}
		}
	}
	return true
}

func FuzzDecode(f *testing.F) {
	for _, query := range []string{strings.ReplaceAll(someRows, "%s", "5"), "SELECT 1 AS a", "SELECT NULL::UNION(a INTEGER, b VARCHAR) AS u, ''::BLOB AS b"} {
		f.Add(messagesOf(f, query, MostMessage)[0])
	}
	f.Fuzz(func(_ *testing.T, message []byte) { readAll(message, someColumns) })
}
