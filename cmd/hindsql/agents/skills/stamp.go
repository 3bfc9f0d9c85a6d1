package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
)

// A file says by itself which build wrote it and whether anybody changed it: its
// frontmatter has the version, and a sum of all that isn't one of these lines. So
// no state is kept elsewhere, and a file that was copied to another machine, or
// went through git, still tells.
const (
	versionKey = "  hindsql-version: "
	sumKey     = "  hindsql-sum: "
)

var stampForm = regexp.MustCompile(`(?m)^metadata:\n` + versionKey + `(.*)\n` + sumKey + `"([0-9a-f]*)"\n`)

// stamped puts the version and the sum at the end of a text's frontmatter.
func stamped(text, version string) string {
	stamp := "metadata:\n" + versionKey + strconv.Quote(version) + "\n" + sumKey + strconv.Quote(sum(text)) + "\n"
	return strings.Replace(text, "\n---\n", "\n"+stamp+"---\n", 1)
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:8])
}

// stamp is what a file says of itself.
type stamp struct {
	version string
	sum     string // as written; empty: the file is of another hand
	real    string // of what the file holds
}

func stampOf(text string) stamp {
	text = strings.ReplaceAll(text, "\r\n", "\n") // as git may write it
	at := stampForm.FindStringSubmatchIndex(text)
	if at == nil {
		return stamp{real: sum(text)}
	}
	version, err := strconv.Unquote(text[at[2]:at[3]])
	if err != nil {
		version = text[at[2]:at[3]]
	}
	return stamp{version, text[at[4]:at[5]], sum(text[:at[0]] + text[at[1]:])}
}
