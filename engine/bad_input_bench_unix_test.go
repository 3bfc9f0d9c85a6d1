//go:build unix

package engine_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

const (
	badHead = `{"parentUuid":null,"type":"user","uuid":"a","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":`
	badTail = `}}` + "\n"
)

// badLogs are logs that no agent wrote, named by their defect.
var badLogs = []struct {
	name  string
	write func(w io.Writer)
}{
	{"64000-lines-one-uuid", func(w io.Writer) {
		for range 64_000 {
			fmt.Fprint(w, badHead, `"hi"`, badTail)
		}
	}},
	{"20MB-damaged-line", func(w io.Writer) { fill(w, `{"uuid":"a"`, 20<<20) }},
	{"100MB-small-values", func(w io.Writer) {
		fmt.Fprint(w, badHead, "[")
		fill(w, `{"type":"text","text":"a"},`, 100<<20)
		fmt.Fprint(w, "0]", badTail)
	}},
	{"100MB-text", func(w io.Writer) {
		fmt.Fprint(w, badHead, `"`)
		fill(w, "x", 100<<20)
		fmt.Fprint(w, `"`, badTail)
	}},
	{"1GB-NULs", func(w io.Writer) { fill(w, "\x00", 1<<30) }},
}

// fill writes a text over and over, until size bytes are written.
func fill(w io.Writer, text string, size int) {
	piece := bytes.Repeat([]byte(text), max(1, 1<<20/len(text)))
	for ; size > 0; size -= len(piece) {
		_, _ = w.Write(piece) // to a file of the benchmark's own
	}
}

// BenchmarkProcessBadInput measures the first load of each bad log. The cost is to be a
// few times the log's length.
func BenchmarkProcessBadInput(b *testing.B) {
	for _, bad := range badLogs {
		b.Run(bad.name, func(b *testing.B) {
			p := newProgram(b)
			log := filepath.Join(p.dir, "projects", "p", "s.jsonl")
			must(b, os.MkdirAll(filepath.Dir(log), 0o700))
			f, err := os.Create(log)
			must(b, err)
			bad.write(f)
			must(b, f.Close())
			measure(b, func() usage {
				b.StopTimer()
				must(b, os.RemoveAll(p.store))
				b.StartTimer()
				return p.run(b, "sync")
			})
		})
	}
}

// BenchmarkProcessPipedTable writes a table of ten million rows into a pipe.
func BenchmarkProcessPipedTable(b *testing.B) {
	p := newProgram(b)
	measure(b, func() usage {
		return p.run(b, "--no-sync", "-o", filepath.Join(p.dir, "table.txt"), "SELECT i, 'row ' || i AS text FROM range(10_000_000) r(i)")
	})
}
