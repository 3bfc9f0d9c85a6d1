// Package whole marks the tests for whole runs only: make test leaves them out, make
// test-all and .ci/run include them.
//
// In: a test, and the reason for its slowness. Out: the test, skipped under -short with
// that reason.
package whole

import "testing"

// Test skips the test in a quick run and gives the reason.
func Test(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("left out of the quick tests: %s; make test-all runs it", why)
	}
}

// Most skips the test in a quick run unless i is a multiple of n, to run each nth of
// many similar tests.
func Most(t testing.TB, i, n int, why string) {
	t.Helper()
	if i%n != 0 {
		Test(t, why)
	}
}

// Or returns many in a whole run, and few in a quick run: a number of rounds, seeds or
// kills.
func Or(many, few int) int {
	if testing.Short() {
		return few
	}
	return many
}
