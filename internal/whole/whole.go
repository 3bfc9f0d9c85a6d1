// Package whole names the tests that only a whole run has: make test leaves them
// out, make test-all and .ci/run have them.
//
// In: a test, and why it is slow. Out: the test skipped, with that reason, under
// -short.
package whole

import "testing"

// Test skips the test in a quick run, and says why it isn't quick.
func Test(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("left out of the quick tests: %s; make test-all runs it", why)
	}
}

// Most skips the test in a quick run unless i is a multiple of n: of many that are
// alike, each nth is quick.
func Most(t testing.TB, i, n int, why string) {
	t.Helper()
	if i%n != 0 {
		Test(t, why)
	}
}

// Or is many in a whole run, and few in a quick one: of rounds, seeds or kills.
func Or(many, few int) int {
	if testing.Short() {
		return few
	}
	return many
}
