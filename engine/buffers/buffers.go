// Package buffers keeps the memory of a load's batches for the batches after them.
package buffers

import (
	"math/bits"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"
)

// pooledBytes is the most bytes of idle buffers that a load keeps. All units of a load
// have about the same size, so a larger pool would hardly be used.
const pooledBytes = 24 << 20

// Pool allocates the columns of batches outside Go's heap, because DuckDB reads the
// columns in place. Freed buffers are kept for the next batch. Without the pool, the C
// library's heap frays to three times the memory in use, and each batch faults its
// pages in anew. Sizes are powers of two, to fit later requests. A buffer's first
// content is undefined: Arrow's builders clear the bits they count on.
type Pool struct {
	from memory.Allocator

	mu   sync.Mutex
	idle [bits.UintSize][][]byte // by the binary logarithm of their capacity
	size int                     // bytes in idle
}

// New returns a pool without idle buffers.
func New() *Pool { return &Pool{from: mallocator.NewMallocator()} }

// Allocate returns a buffer of n bytes.
func (b *Pool) Allocate(n int) []byte {
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

// Reallocate returns n bytes that begin with old's content. If old is too small, the
// bytes are a copy, and old is freed.
func (b *Pool) Reallocate(n int, old []byte) []byte {
	if n <= cap(old) {
		return old[:n]
	}
	grown := b.Allocate(n)
	copy(grown, old)
	b.Free(old)
	return grown
}

// Free takes a buffer back.
func (b *Pool) Free(old []byte) {
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

// Drop returns all idle buffers to the system.
func (b *Pool) Drop() {
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

// sizeClass returns the binary logarithm of the capacity for n bytes. The capacity is
// at least a cache line.
func sizeClass(n int) int { return max(6, bits.Len(uint(max(n, 1)-1))) }
