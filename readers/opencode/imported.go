package opencode

import (
	"errors"
	"path"

	"hindsql/readers"
	"hindsql/readers/sqlite"
)

// inDatabase says whether a database of the folder has a session of the tree:
// 1.2 copied the trees that it met, and left them (FORMAT.md §1). The session is
// looked for again when the first database comes, and, while one may be copying,
// when that changes.
func inDatabase(in *readers.Input, database, id string) (held bool, err error) {
	in.Exists(database)
	names, err := in.NamesAside(".")
	if err != nil {
		return false, err
	}
	var copying []string
	for _, name := range names {
		if held || !isDatabase(name) {
			continue
		}
		begun := false
		err := sqlite.ViewAside(in, name, func(db *sqlite.DB) (err error) {
			if held, begun = false, db.Columns("session") == nil; begun {
				return nil
			}
			if held, err = hasSession(db, id); !held && err == nil {
				begun, err = copies(in, db)
			}
			return err
		})
		if errors.As(err, new(*readers.Unread)) {
			return false, err
		} // else it is gone, or damaged: a log of its own, which says so
		if begun {
			copying = append(copying, name)
		}
	}
	for _, name := range copying {
		if !held {
			in.Watch(name)
			in.Watch(name + sqlite.With[0])
		}
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

// copies says whether a database may just be getting the tree's sessions: it has
// none yet, or none that is newer than those. Its own come when all are there.
func copies(in *readers.Input, db *sqlite.DB) (bool, error) {
	newest, folder := "", path.Dir(in.Rel)
	err := db.Query(func(row *sqlite.Row) error {
		newest = row.Text(0)
		if project := row.Text(1); project != "" {
			folder = path.Join(path.Dir(folder), project)
		}
		return nil
	}, "SELECT id, "+selected(db, "session", "project_id")+" FROM session ORDER BY time_created DESC, id DESC LIMIT 1")
	if newest == "" || err != nil {
		return err == nil, err
	}
	f, err := in.Aside(folder + "/" + newest + extension)
	if err != nil {
		return false, nil //nolint:nilerr // it is no session of the tree's
	}
	return true, f.Close()
}
