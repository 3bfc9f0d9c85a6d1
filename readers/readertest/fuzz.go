package readertest

import (
	"testing"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// Fuzz feeds the reader random logs, beginning with the samples in the folder. The
// reader must not panic, and the rows must be well formed.
func Fuzz(f *testing.F, r *readers.Reader, dir string) { FuzzOf(f, r, dir, Options{}) }

// FuzzOf is Fuzz for a reader whose samples need options.
func FuzzOf(f *testing.F, r *readers.Reader, dir string, opts Options) {
	var rels []string
	for _, s := range readSamples(f, dir, r, opts) {
		for _, l := range s.logs {
			f.Add(uint(len(rels)), l.data)
			rels = append(rels, l.rel)
		}
	}
	f.Fuzz(func(t *testing.T, which uint, data []byte) {
		l := &log{sample: &sample{reader: r}, rel: rels[which%uint(len(rels))], data: data}
		if err := wellFormed(l.load(data)); err != nil {
			t.Error(err)
		}
	})
}

// Bench measures how many bytes of log the reader turns into rows, for all logs below a
// root on one core.
func Bench(b *testing.B, r *readers.Reader, root string) {
	b.Helper()
	logs, err := r.Find([]readers.Place{{Path: root, From: "benchmark"}})
	if err != nil || len(logs) == 0 {
		b.Skipf("no logs below %s: %v", root, err)
	}
	size := int64(0)
	for _, l := range logs {
		size += l.Size
	}
	b.SetBytes(size)
	b.ReportAllocs()
	batch := tables.NewBatch(nil)
	for b.Loop() {
		for _, l := range logs {
			src := tables.Source{Agent: r.Agent, Path: l.Path, Size: l.Size, ModifiedAt: l.ModifiedAt, LoadedAt: time.Now()}
			r.Load(l, src).AppendTo(batch)
			for _, part := range partsOnDisk(b, r, l) {
				src.Part, src.Stamp, src.Size = part.Name, part.Stamp, part.Size
				r.Load(l, src).AppendTo(batch)
			}
			if len(batch.Sources()) >= 64 {
				batch.Release()
			}
		}
		batch.Release()
	}
}

// partsOnDisk returns the parts of a log, or nil if the reader has no parts.
func partsOnDisk(t testing.TB, r *readers.Reader, l readers.Log) []readers.Part {
	t.Helper()
	if r.Parts == nil {
		return nil
	}
	parts, _, err := r.List(l)
	if err != nil {
		t.Fatal(err)
	}
	return parts
}
