package all_test

import (
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/all"
	"hindsql/readers/readertest"
)

// TestStopsOfTheCorpora: each stop in real logs points at the call or text it cut and
// at the prompt being answered. After a stop by the system, the turn gets no answer.
func TestStopsOfTheCorpora(t *testing.T) {
	corpus.Home(t, "home")
	for _, name := range []string{"home", "recent", "labelled", "new-agents", "more", "agents-3"} {
		t.Run(name, func(t *testing.T) {
			home := corpus.Home(t, "home")
			if name != "home" {
				home = corpus.Home(t, name)
			}
			for _, r := range all.Readers() {
				t.Run(r.Agent, func(t *testing.T) {
					t.Parallel()
					readertest.Stops(t, r, home)
				})
			}
		})
	}
}
