package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestNarrow: the quick check loses no finding of the patterns, however a secret is
// assigned, and whatever text surrounds the secret.
func TestNarrow(t *testing.T) {
	narrow, wide := New(), New()
	for _, r := range wide.rules {
		r.likely = nil
	}
	secret := "q7w8r5t1z9p3m2k4" + "x6c5v8n1b3j7"
	found := 0
	for _, name := range []string{"api_key", "API-TOKEN", "my.access", "password_of_the_db", "clientSecret", "auth", "creds  for it", "twitter_key", "looker", "x-api-key"} {
		for _, sign := range []string{"=", ": ", ":", " := ", "=>", " => '", `": "`, `\": \"`, "  =  `", ", ", "||", " ", " is ", "?=", " > \"", "\n=\n"} {
			for _, end := range []string{"", `"`, "'", " ", "\n", ";", "`", `\n`, "!", "-more", strings.Repeat("a1", 300) + " "} {
				text := fmt.Sprintf("text before it, %s%s%s%s and after", name, sign, secret, end)
				want, got := places(wide, text), places(narrow, text)
				if found += len(want); !slices.Equal(want, got) {
					t.Errorf("%q: found at %v, want %v", text, got, want)
				}
			}
		}
	}
	if found < 200 {
		t.Errorf("only %d places found: the texts have too few secrets", found)
	}
}

func places(r *Redactor, text string) (list []string) {
	for _, f := range r.find(text) {
		list = append(list, fmt.Sprint(f.rule.ID, f.start, f.end))
	}
	return list
}
