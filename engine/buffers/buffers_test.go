package buffers

import (
	"bytes"
	"testing"
)

// TestBuffersAreUsedAgain: freed buffers serve later requests of the same power of two,
// and the pool keeps at most pooledBytes.
func TestBuffersAreUsedAgain(t *testing.T) {
	b := New()
	first := b.Allocate(1000)
	copy(first, "begins so")
	grown := b.Reallocate(3000, first)
	if len(grown) != 3000 || !bytes.HasPrefix(grown, []byte("begins so")) {
		t.Errorf("%d bytes that begin with %q, want the 3000 that begin as the old ones", len(grown), grown[:9])
	}
	if again := b.Allocate(600); &again[0] != &first[0] || len(again) != 600 {
		t.Error("the buffer that was given back is not used again")
	}
	if same := b.Reallocate(4000, grown); &same[0] != &grown[0] {
		t.Error("a buffer that has room is copied")
	}
	var all [][]byte
	for range 2 * pooledBytes / (1 << 20) {
		all = append(all, b.Allocate(1<<20))
	}
	for _, one := range all {
		b.Free(one)
	}
	if b.size > pooledBytes || b.size < pooledBytes/2 {
		t.Errorf("%d idle bytes, of %d allowed", b.size, pooledBytes)
	}
	if b.Drop(); b.size != 0 {
		t.Errorf("%d idle bytes after all were dropped", b.size)
	}
}
