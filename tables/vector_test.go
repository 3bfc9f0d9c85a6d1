package tables

import (
	"math/bits"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"
)

// TestVectors puts random values, nulls and runs of them into a vector of each type, and
// reads them from the Arrow array. The vector is used again, and returns all memory.
func TestVectors(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	random := rand.New(rand.NewSource(1))
	for name, put := range map[string]func(vector) any{
		"BIGINT":  func(v vector) any { n := random.Int63(); v.(*fixedVector[int64]).add(n); return n },
		"INTEGER": func(v vector) any { n := random.Int31(); v.(*fixedVector[int32]).add(n); return int64(n) },
		"DOUBLE":  func(v vector) any { n := random.Float64(); v.(*fixedVector[float64]).add(n); return n },
		"BOOLEAN": func(v vector) any { b := random.Intn(2) == 0; v.(*boolVector).add(b); return b },
		"VARCHAR": func(v vector) any {
			s := strings.Repeat("ä\xff", random.Intn(30))
			v.(*textVector).add(s)
			return strings.ToValidUTF8(s, "\uFFFD")
		},
		"INTEGER[]": func(v vector) any {
			list := make([]int64, random.Intn(4))
			v.(*listVector).add(len(list))
			for i := range list {
				list[i] = int64(i)
				v.(*listVector).elements.(*fixedVector[int32]).add(int32(i))
			}
			return list
		},
		"VARCHAR[]": func(v vector) any {
			list := make([]string, random.Intn(4))
			v.(*listVector).add(len(list))
			for i := range list {
				list[i] = strings.Repeat("x", i)
				v.(*listVector).elements.(*textVector).add(list[i])
			}
			return list
		},
		AnswersType: func(v vector) any {
			list := make([]Row, random.Intn(3))
			v.(*listVector).add(len(list))
			for i := range list {
				list[i] = putAnyAnswer(v.(*listVector).elements.(*structVector), random)
			}
			return list
		},
		"STRUCT(question VARCHAR)": func(v vector) any {
			v.(*structVector).add()
			v.(*structVector).fields[0].(*textVector).addMaybe("ä"[:2*random.Intn(2)])
			if v.(*structVector).fields[0].base().pending > 0 {
				return Row{}
			}
			return Row{"question": "ä"}
		},
	} {
		of := arrowTypes[name]
		if of == nil {
			of = arrow.StructOf(arrow.Field{Name: "question", Type: arrow.BinaryTypes.String, Nullable: true})
		}
		v := newVector(of, mem)
		for range 100 {
			wanted := fillVector(v, random, put)
			data := v.finish()
			if diff := cmp.Diff(wanted, valuesOf(data)); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", name, diff)
			}
			data.Release()
		}
	}
}

// putAnyAnswer appends an answer with random parts, and returns its fields without nulls.
func putAnyAnswer(v *structVector, random *rand.Rand) Row {
	a, row := Answer{}, Row{}
	if random.Intn(3) > 0 {
		a.Question, row["question"] = "why?", "why?"
	}
	if random.Intn(3) > 0 {
		a.Options = []string{"a", "", "c"}[:random.Intn(4)]
		row["options"] = a.Options
	}
	if random.Intn(3) > 0 {
		a.Picked, a.Words = []string{"c"}, "and d"
		row["picked"], row["words"] = a.Picked, a.Words
	}
	putAnswer(v, a)
	return row
}

// fillVector appends random values and nulls, and returns them; nil stands for null.
func fillVector(v vector, random *rand.Rand, put func(vector) any) []any {
	var wanted []any
	for range random.Intn(6) {
		null := random.Intn(2) == 0
		for range random.Intn(40) {
			if null {
				v.base().skip(1)
				wanted = append(wanted, nil)
			} else {
				wanted = append(wanted, put(v))
			}
		}
	}
	return wanted
}

func valuesOf(data arrow.ArrayData) []any {
	a := array.MakeFromData(data)
	defer a.Release()
	var values []any
	nulls := 0
	for i := range a.Len() {
		if a.IsNull(i) {
			nulls++
			values = append(values, nil)
		} else {
			values = append(values, cell(a, i))
		}
	}
	if nulls != a.NullN() {
		values = append(values, "a wrong number of nulls")
	}
	return values
}

// BenchmarkAppendTo makes rows of a session with two calls to five messages.
func BenchmarkAppendTo(b *testing.B) {
	f := NewFile(Source{Agent: "agent", Path: "/logs/session.jsonl", Host: "here", User: "user"})
	f.Emit(&Session{SessionID: "00000000-0000-4000-8000-000000000000", Project: "/home/user/project"})
	text := strings.Repeat("Words of an answer. ", 30)
	for i := range 1000 {
		m := &Message{UUID: "00000000-0000-4000-8000-000000000001", Kind: KindResponse, Role: "assistant", Model: "model", Text: text, InputTokens: Some(int64(i)), Line: int64(i)}
		f.Emit(m)
		if i%5 < 2 {
			f.Emit(&ToolCall{ToolUseID: text[:i%100], ToolName: "Bash", ToolKind: ToolCommand, Command: text[:60], Input: text})
		}
	}
	batch := NewBatch(recycler{})
	for b.Loop() {
		f.AppendTo(batch)
		for _, t := range batch.Tables() {
			batch.Records(t)
		}
		batch.Release()
	}
}

// recycler keeps freed blocks by their size, as the engine's pool does.
type recycler map[int][][]byte

func (r recycler) Allocate(size int) []byte {
	size = 1 << bits.Len(uint(size-1))
	if kept := r[size]; len(kept) > 0 {
		r[size] = kept[:len(kept)-1]
		return kept[len(kept)-1]
	}
	return make([]byte, size)
}

func (r recycler) Reallocate(size int, old []byte) []byte {
	grown := r.Allocate(size)
	copy(grown, old)
	r.Free(old)
	return grown
}

func (r recycler) Free(old []byte) {
	if cap(old) > 0 {
		r[cap(old)] = append(r[cap(old)], old[:cap(old)])
	}
}
