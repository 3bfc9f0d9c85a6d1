// Package lint_test checks the rules of the house: allowed imports, allowed places of
// libraries, sizes of files and functions, and pages and lists that match the code. The
// tests read the whole repository, so some imports come from upper rooms.
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
