package atomicfile

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
)

// TestAtOnce: who writes into a folder takes no file away that another is about to
// give its name.
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
