package loopback

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"hindsql/internal/atomicfile"
)

// nameForm matches a name as rand.Text makes it, in small letters.
var nameForm = regexp.MustCompile(`^[a-z2-7]{26,60}$`)

// Name returns a name for NAME.localhost that only this user knows. Name stores the
// first name in the user's folder, to keep bookmarks working.
func Name(folder string) (string, error) {
	path := filepath.Join(folder, "web-name")
	made := strings.ToLower(rand.Text())
	err := errors.Join(os.MkdirAll(folder, 0o700), atomicfile.WriteNew(path, []byte(made+"\n")))
	if err == nil {
		return made, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err = errors.Join(err, atomicfile.Tighten(path)); err != nil {
		return "", err
	}
	name := strings.TrimSpace(string(text))
	if !nameForm.MatchString(name) {
		return "", fmt.Errorf("%s: holds no name; remove it, and one is made", path)
	}
	return name, nil
}
