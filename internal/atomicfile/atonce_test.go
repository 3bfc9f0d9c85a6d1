package atomicfile

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
)

// TestAtOnce checks that parallel writers into a folder never remove each other's
// unfinished files.
func TestAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 120 {
				commit := []func(string, []byte) error{Write, WriteNew}[i%2]
				if err := commit(filepath.Join(dir, fmt.Sprint(n, "-", i)), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
