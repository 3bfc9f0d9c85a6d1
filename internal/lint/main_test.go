// Package lint_test holds the rules of the house: who may import whom, which library
// may be used where, how long files and functions may be, and that pages and lists
// say what the code has. It walks the whole repository, and so imports from above.
package lint_test

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
