package engine

import (
	"math/bits"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"
)

// pooledBytes is how many bytes of buffers that nobody uses a load keeps. Units
// are alike in size: more would hardly be asked for.
const pooledBytes = 24 << 20

// buffers allocates the columns of batches outside Go's heap, as DuckDB reads
// them where they lie, and keeps what is given back for the next batch. Without
// that, the C library's heap frays to three times what is in use, and each
// batch faults its pages in anew. Sizes are powers of two, so that they fit
// again. A buffer's first content is not defined: Arrow's builders clear the
// bits that they count on.
type buffers struct {
	from memory.Allocator

	mu   sync.Mutex
	idle [bits.UintSize][][]byte // by the binary logarithm of their capacity
	size int                     // bytes in idle
}

func newBuffers() *buffers { return &buffers{from: mallocator.NewMallocator()} }

// Allocate gives n bytes.
func (b *buffers) Allocate(n int) []byte {
	class := sizeClass(n)
	b.mu.Lock()
	defer b.mu.Unlock()
	idle := b.idle[class]
	if len(idle) == 0 {
		return b.from.Allocate(1 << class)[:n]
	}
	last := idle[len(idle)-1]
	b.idle[class] = idle[:len(idle)-1]
	b.size -= cap(last)
	return last[:n]
}

// Reallocate gives n bytes that begin as old does, and takes old back.
func (b *buffers) Reallocate(n int, old []byte) []byte {
	if n <= cap(old) {
		return old[:n]
	}
	grown := b.Allocate(n)
	copy(grown, old)
	b.Free(old)
	return grown
}

// Free takes a buffer back.
func (b *buffers) Free(old []byte) {
	if cap(old) == 0 {
		return
	}
	old = old[:cap(old)]
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size+len(old) > pooledBytes {
		b.from.Free(old)
		return
	}
	class := sizeClass(len(old))
	b.idle[class] = append(b.idle[class], old)
	b.size += len(old)
}

// drop gives all that is idle back to the system.
func (b *buffers) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for class, idle := range b.idle {
		for _, old := range idle {
			b.from.Free(old)
		}
		b.idle[class] = nil
	}
	b.size = 0
}

// sizeClass is the binary logarithm of the capacity for n bytes, which is at
// least that of a cache line.
func sizeClass(n int) int { return max(6, bits.Len(uint(max(n, 1)-1))) }
