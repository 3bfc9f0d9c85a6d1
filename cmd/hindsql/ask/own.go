package ask

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hindsql/internal/atomicfile"
	"hindsql/queries"
	"hindsql/tables"
)

// Own is the folder of the user's saved queries.
type Own struct {
	Folder   string   // empty if no home folder is known
	Commands []string // names of commands, which no query may have
}

// File returns the path of the query with a given name. The error says why a query
// can't have that name.
func (o Own) File(name string) (string, error) {
	switch {
	case o.Folder == "":
		return "", errors.New("no home folder is known; name one with XDG_CONFIG_HOME")
	case !queries.IsName(name):
		return "", fmt.Errorf("%q: a name is made of small letters and digits, with hyphens between", name)
	case slices.Contains(o.Commands, name):
		return "", fmt.Errorf("%s is a command; choose another name", name)
	case slices.Contains(tables.ShownNames(), name):
		return "", fmt.Errorf("%s is a table; choose another name", name)
	}
	return filepath.Join(o.Folder, name+".sql"), nil
}

// Create does the same as [Own.Save], but replaces no file.
func (o Own) Create(name, text string) (string, error) {
	path, err := o.File(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s is a query of yours; choose another name", name)
	}
	return o.Save(name, text)
}

// Save writes a query's file, and replaces an existing one. It returns the file's path.
// The error is that of [Own.File], or begins with the line that isn't valid.
func (o Own) Save(name, text string) (string, error) {
	path, err := o.File(name)
	if err != nil {
		return "", err
	}
	if _, err := queries.Parse(name, text); err != nil {
		return "", fmt.Errorf("%s.sql:%w", name, err)
	}
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return "", err
	}
	return path, atomicfile.Write(path, []byte(text))
}
