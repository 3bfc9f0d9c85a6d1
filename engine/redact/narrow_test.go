package redact

import (
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// asGiven returns a Redactor that searches for the patterns of gitleaks as given.
func asGiven() *Redactor { return search(readRules()) }

// TestNarrow: the quick check loses no finding of the patterns, however a secret is
// assigned, and whatever text surrounds the secret.
func TestNarrow(t *testing.T) {
	narrow, wide := New(), asGiven()
	for _, r := range wide.rules {
		r.likely, r.also = nil, nil
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

// TestNarrowAsLoose: the precise checks lose no finding of the loose checks before them,
// in random texts of secrets, keywords, signs and words.
func TestNarrowAsLoose(t *testing.T) {
	narrow, loose := New(), asGiven()
	for _, r := range loose.rules {
		switch {
		case r.ID == "discord-bot":
			r.likely = func(string) bool { return true }
		case r.ID == "cal-key" || r.ID == "twilio-key" || r.ID == "authress-service-client-access-key":
			r.likely = func(rest string) bool { return run(rest, isToken, shortest) == shortest }
		case r.also != nil:
			r.also = nil
		}
	}
	parts := []string{
		" ", " ", "\n", "=", ": ", ":", "\"", "'", ", ", "=> ", " is ", "-", "_", ".", "/", `\n`, `\"`, "\t", "||", "the word ", "list.go ", "é", "\xff", "\u200b", "kind: Secret\n", "data:\n  a: ",
		"MTk{23}.G{5}.{38}", "ODk{22}.Abcdef.g{38}", "cal_live_{32}", "cal_{32}", "SK{32}", "sc_{12}.{5}.acc-{20}.{40}", "scauth_{9}.{5}.acc_{12}.{60}", "{20}", "{40}", "{64}", "aaaaaaaaaaaaaaaa", "12345678901234567890",
	}
	for _, r := range narrow.rules {
		parts = append(parts, r.Keywords...)
		parts = append(parts, r.Keywords[0]+` = "{40}"`, r.Keywords[0]+"_of_it: {32}")
	}
	random := rand.New(rand.NewSource(rand.Int63()))
	found := 0
	for range 400 {
		text := ""
		for range 3 + random.Intn(30) {
			text += drawn(random, parts[random.Intn(len(parts))])
		}
		want, got := places(loose, text), places(narrow, text)
		if found += len(want); !slices.Equal(want, got) {
			t.Fatalf("%q: found at %v, want %v", text, got, want)
		}
	}
	if found < 100 {
		t.Errorf("only %d places found: the texts have too few secrets", found)
	}
}

var length = regexp.MustCompile(`\{(\d+)\}`)

// drawn replaces {20} by twenty random letters and digits, or hexadecimal digits.
func drawn(random *rand.Rand, part string) string {
	alphabet := "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if random.Intn(2) == 0 {
		alphabet = alphabet[:16]
	}
	return length.ReplaceAllStringFunc(part, func(part string) string {
		n, _ := strconv.Atoi(part[1 : len(part)-1])
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[random.Intn(len(alphabet))]
		}
		return string(b)
	})
}

func places(r *Redactor, text string) (list []string) {
	for _, f := range r.find(text) {
		list = append(list, fmt.Sprint(f.rule.ID, f.start, f.end))
	}
	return list
}
