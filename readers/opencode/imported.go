package opencode

import (
	"errors"
	"path"
	"strings"

	"hindsql/readers"
	"hindsql/readers/sqlite"
)

// inDatabase says whether a database of the folder has a session of the tree:
// 1.2 copied the trees that it met, and left them (FORMAT.md §1). The session is
// looked for again when the first database comes, and, while one may be copying,
// when the folder changes.
func inDatabase(in *readers.Input, database, id string) (held bool, err error) {
	in.Exists(database)
	names, err := in.NamesAside(".")
	if err != nil {
		return false, err
	}
	copying := false
	for _, name := range names {
		if held || !isDatabase(name) {
			continue
		}
		err := sqlite.ViewAside(in, name, func(db *sqlite.DB) error {
			held = false
			if db.Columns("session") == nil {
				copying = true
				return nil
			}
			has, err := hasSession(db, id)
			if held = has; has || err != nil {
				return err
			}
			begun, err := copied(in, db)
			copying = copying || begun
			return err
		})
		if errors.As(err, new(*readers.Unread)) {
			return false, err
		} // else it is gone, or damaged: a log of its own, which says so
	}
	if copying && !held {
		_, err = in.Names(".")
	}
	return held, err
}

func hasSession(db *sqlite.DB, id string) (has bool, err error) {
	err = db.Query(func(*sqlite.Row) error {
		has = true
		return nil
	}, "SELECT 1 FROM session WHERE id = ? LIMIT 1", id)
	return has, err
}

// siblings is how many sessions of the tree are looked for in a database at most.
const siblings = 50

// copied says whether a database may just be getting the tree's sessions: it has
// others of them, or none at all yet.
func copied(in *readers.Input, db *sqlite.DB) (bool, error) {
	empty := true
	err := db.Query(func(*sqlite.Row) error {
		empty = false
		return nil
	}, "SELECT 1 FROM session LIMIT 1")
	if empty || err != nil {
		return empty, err
	}
	names, err := in.NamesAside(path.Dir(in.Rel))
	for _, name := range names[:min(len(names), siblings)] {
		if has, err := hasSession(db, strings.TrimSuffix(name, ".json")); has || err != nil {
			return has, err
		}
	}
	return false, err
}
