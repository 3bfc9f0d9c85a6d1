package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"hindsql/internal/pattern"
)

// The stamp of a file is two lines in its frontmatter: the version of the build that
// wrote the file, and a checksum of all other lines. The checksum shows whether a user
// edited the file. With the stamp in the file, hindsql needs no separate state, and the
// stamp survives a copy to another machine or a checkout by git.
const (
	versionKey = "  hindsql-version: "
	sumKey     = "  hindsql-sum: "
)

var stampForm = pattern.Lazy(`(?m)^metadata:\n` + versionKey + `(.*)\n` + sumKey + `"([0-9a-f]*)"\n`)

// stamped returns a text with the stamp at the end of its frontmatter.
func stamped(text, version string) string {
	stamp := "metadata:\n" + versionKey + strconv.Quote(version) + "\n" + sumKey + strconv.Quote(sum(text)) + "\n"
	return strings.Replace(text, "\n---\n", "\n"+stamp+"---\n", 1)
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:8])
}

// stamp is the version and the checksums of a file.
type stamp struct {
	version string
	sum     string // as written; empty for a foreign file
	real    string // computed from the file's content
}

func stampOf(text string) stamp {
	text = strings.ReplaceAll(text, "\r\n", "\n") // git may write CRLF
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
