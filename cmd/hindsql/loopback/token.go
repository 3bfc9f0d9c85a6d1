package loopback

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
)

// fewestCharacters is the least length of a token that the user chose.
const fewestCharacters = 16

// Token is the secret that a client has to send.
type Token struct {
	Text string
	Path string // of the file that holds Text; empty if the user chose the token
}

// CheckToken returns an error if a text isn't a valid token (RFC 6750, section 2.1), or
// is short enough to guess.
func CheckToken(text string) error {
	if len(text) < fewestCharacters || strings.ContainsFunc(text, notOfToken) {
		return fmt.Errorf("%d or more letters, digits and -._~+/=", fewestCharacters)
	}
	return nil
}

func notOfToken(r rune) bool {
	return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=", r)
}

// NewToken makes a token for the clients of an address, and writes it to a file in
// folder.
func NewToken(folder string, at net.Addr) (Token, error) {
	bytes := make([]byte, 32)
	_, _ = rand.Read(bytes) // never fails
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return Token{}, err
	}
	t := Token{hex.EncodeToString(bytes), filepath.Join(folder, "mcp-"+port+".token")}
	return t, errors.Join(os.MkdirAll(folder, 0o700), atomicfile.Write(t.Path, []byte(t.Text+"\n")))
}

// Forget removes the token's file, unless the file holds another server's token.
func (t Token) Forget() {
	if text, err := regular.Read(t.Path, regular.Own); err == nil && strings.TrimSpace(string(text)) == t.Text {
		_ = os.Remove(t.Path)
	}
}
