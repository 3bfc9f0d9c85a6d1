package redact_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// prefixes are what tools put around the lines of a file: «» stands for a line, # for
// the line's number and ~ for the sign of grep's context.
var prefixes = []string{
	"«»", "#:«»", "certs/key.pem:«»", "certs/key.pem~«»", "certs/key1.pem:#:«»", "certs/key.pem~#~«»", "#~«»", "# «»", "    // «»", " * «»", "> «»", "    «»", "-«»", "+«»",
	"a1b2c3d4 (Ada L 2026-01-01 10:00:00 +0000 #) «»", "2026-01-01T00:00:0#.1#Z «»", "Jan  1 00:00:0# host app[99]: «»", "build\tRun x\t2026-01-01T00:00:00.00000#Z «»", "web-1  | «»", "\x1b[36mweb  |\x1b[0m «»", "│ «» │",
	"     #→«»", "     #\t«»", "     #→+«»", "  \"«»\\n\" +", "«»$", "«»\r",
}

// behindPrefix writes lines as a tool shows them.
func behindPrefix(prefix string, lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		sign := ":"
		if i > 0 {
			sign = "-"
		}
		if prefix == "# «»" { // a comment
			b.WriteString("# " + line + "\n")
			continue
		}
		b.WriteString(strings.NewReplacer("«»", line, "#", fmt.Sprint(i+8), "~", sign).Replace(prefix) + "\n")
	}
	return b.String()
}

// wrap returns the lines that base64 prints.
func wrap(width int, lines ...string) []string {
	code := base64.StdEncoding.EncodeToString([]byte(strings.Join(lines, "\n") + "\n"))
	return regexp.MustCompile(fmt.Sprintf(".{1,%d}", width)).FindAllString(code, -1)
}

// TestBlocks: all lines of a key and of wrapped base64 are found behind each prefix: of
// whole keys, keys without their last lines and keys without their first lines. The
// lines after them stay.
func TestBlocks(t *testing.T) {
	begin, end := "-----BEGIN RSA PRIVATE"+" KEY-----", "-----END RSA PRIVATE"+" KEY-----"
	blocks := map[string]func(key []string) (lines, secrets []string){
		"key": func(key []string) ([]string, []string) { return append(append([]string{begin}, key...), end), key },
		"encrypted": func(key []string) ([]string, []string) {
			return append(append([]string{begin, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123", ""}, key...), end), key
		},
		"head": func(key []string) ([]string, []string) { return append([]string{begin}, key[:3]...), key[:3] },
		"tail": func(key []string) ([]string, []string) { return append(key[1:len(key):len(key)], end), key[1:] },
		"putty": func(key []string) ([]string, []string) {
			return append(append([]string{"Private-Lines: 4"}, key...), "Private-MAC: 0"), key
		},
		"base64": func(key []string) ([]string, []string) {
			lines := wrap(76, "HOST=db.internal.test", "X=1", "GITHUB_TOKEN=ghp_"+key[0][:36], "DB_PASSWORD=Xk9"+key[1][:9], "PORT=5432")
			return lines, lines
		},
		"base64 key": func(key []string) ([]string, []string) {
			lines := wrap(64, append(append([]string{begin}, key...), end)...)
			return lines, lines
		},
	}
	random := rand.New(rand.NewSource(59))
	for _, name := range slices.Sorted(maps.Keys(blocks)) {
		block := blocks[name]
		for _, prefix := range prefixes {
			for i := range instances * 3 / 20 {
				key := strings.Split(fill(random.Intn, "{64:base64}\n{64:base64}\n{64:base64}\n{38:base64}=="), "\n")
				lines, secrets := block(key)
				text := "see:\n" + behindPrefix(prefix, append(lines, "and then more text"))
				if i%4 == 1 { // as a string of a program
					text = strings.ReplaceAll(text, "\n", `\n`)
				}
				got := redactor().Redact(text, false)
				if hasPart(got, secrets) || !strings.Contains(got, "and then more text") {
					t.Fatalf("%s behind %q: %q became %q", name, prefix, text, got)
				}
			}
		}
	}
}

// TestNoBlocks: lines of base64 without a secret stay, and words after a key's lines.
func TestNoBlocks(t *testing.T) {
	certificate := "-----BEGIN CERTIFICATE-----\n" + filled("{64}\n{64}\n{20}==") + "\n-----END CERTIFICATE-----\n"
	public := "-----BEGIN PUBLIC KEY-----\n" + filled("{64}\n{64}\n{20}==") + "\n-----END PUBLIC KEY-----\n"
	for _, text := range []string{
		certificate, public, behindPrefix("certs/a.pem:#:«»", strings.Split(certificate, "\n")), strings.Join(wrap(76, "nothing to see", "here but", strings.Repeat("ordinary words in lines\n", 9)), "\n"),
		"-----END RSA PRIVATE" + " KEY-----", "the end of the key\nis the line\n-----END RSA PRIVATE" + " KEY-----\n", "grep -- '-----BEGIN RSA PRIVATE" + " KEY-----' *.pem\nand then more text",
	} {
		if got := redactor().Redact(text, false); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
