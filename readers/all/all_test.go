package all_test

import (
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/all"
	"hindsql/readers/readertest"
)

// TestRecordsOfTheCorpus: real logs hold no fact that their reader declares as not
// recorded.
func TestRecordsOfTheCorpus(t *testing.T) {
	home := corpus.Home(t, "home")
	for _, r := range all.Readers() {
		t.Run(r.Agent, func(t *testing.T) {
			t.Parallel()
			for fact, seen := range readertest.Facts(t, r, r.Roots(readers.Host{OS: "linux", Home: home, Getenv: func(string) string { return "" }})) {
				if declared := r.Records[fact]; seen|declared != declared {
					t.Errorf("%s: declared %q, real %s say %q", fact, declared, fact.Table(), seen)
				}
			}
		})
	}
}
