package redact_test

import (
	"strings"
	"testing"

	"hindsql/engine/redact"
)

// BenchmarkRedact redacts text like that of logs, with a secret every 20 kB.
func BenchmarkRedact(b *testing.B) {
	var text strings.Builder
	for range 50 {
		text.WriteString(strings.Repeat("func (s *Store) Token(key string) (access Token, err error) { return s.api.Get(key) } // the global secret\n", 200))
		text.WriteString("API_TOKEN=" + chance(40, alnum) + "\n")
	}
	r := redact.New()
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		r.Redact(text.String(), false)
	}
}
