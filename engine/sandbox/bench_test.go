package sandbox

import "testing"

// BenchmarkCalls measures round trips with bodies of different lengths.
func BenchmarkCalls(b *testing.B) {
	p, err := Start(b.Context(), Options{Folder: b.TempDir(), Memory: 1 << 30, Disk: 1 << 30, Build: testBuild, Handle: outside})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	for _, size := range []struct {
		name  string
		bytes int
	}{{"empty", 0}, {"4K", 4 << 10}, {"1M", 1 << 20}, {"16M", 16 << 20}} {
		b.Run(size.name, func(b *testing.B) {
			body := make([]byte, size.bytes)
			b.SetBytes(int64(2 * size.bytes))
			for b.Loop() {
				if _, err := p.Go("echo", nil, body).Reply(nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart measures a worker's start, Hello and end.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p, err := Start(b.Context(), Options{Folder: b.TempDir(), Memory: 1 << 30, Disk: 1 << 30, Build: testBuild, Handle: outside})
		if err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}
