package loopback

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/pattern"
	"hindsql/internal/regular"
)

// nameForm matches a name made by rand.Text, in small letters.
var nameForm = pattern.Lazy(`^[a-z2-7]{26,60}$`)

// Name returns the user's own NAME for the address NAME.localhost, which other users
// don't know. The first call makes the name and stores it in folder. Later calls return
// the same name, to keep bookmarks working.
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
	text, err := regular.Read(path, regular.Own)
	if err = errors.Join(err, atomicfile.Tighten(path)); err != nil {
		return "", err
	}
	name := strings.TrimSpace(string(text))
	if !nameForm.MatchString(name) {
		return "", fmt.Errorf("%s: holds no name; remove it, and one is made", path)
	}
	return name, nil
}
