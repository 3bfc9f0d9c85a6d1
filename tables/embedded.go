package tables

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// sqlFile is an embedded SQL file.
type sqlFile struct{ name, text string } // name without .sql

// sqlFiles returns the files of an embedded folder in the order of their names. It
// panics if the folder is empty.
func sqlFiles(files embed.FS, folder string) []sqlFile {
	names, err := fs.Glob(files, folder+"/*.sql")
	if err != nil || len(names) == 0 {
		panic(fmt.Sprintf("no SQL in %s: %v", folder, err))
	}
	list := make([]sqlFile, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		list[i] = sqlFile{strings.TrimSuffix(path.Base(name), ".sql"), string(text)}
	}
	return list
}
