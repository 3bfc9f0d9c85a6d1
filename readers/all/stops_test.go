package all_test

import (
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers/all"
	"hindsql/readers/readertest"
)

// TestStopsOfTheCorpora checks each interruption in real logs. It must name the stopped
// call or text, and the prompt then being answered. After an interruption by the
// system, the turn must have no answer.
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
