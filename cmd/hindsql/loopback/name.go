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

// nameForm is how a name looks: as rand.Text makes it.
var nameForm = regexp.MustCompile(`^[a-z2-7]{26,60}$`)

// Name is a name that only this user knows, for NAME.localhost. It is made once and
// kept in a folder of the user's, so that bookmarks last.
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
