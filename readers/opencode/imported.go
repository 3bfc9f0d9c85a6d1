package opencode

import (
	"errors"
	"path"

	"hindsql/readers"
	"hindsql/readers/sqlite"
)

// inDatabase reports whether a database in the folder holds the session that this file
// of the tree of JSON files holds. Version 1.2 copied existing trees into a database
// and left their files (FORMAT.md §1). The file is read again when the first database
// appears, and when a database changes that may still be copying the tree.
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
		} // otherwise the database is gone or damaged, and reading it as a log reports that
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

// copies reports whether a database may still be copying sessions from the tree. It may
// if it has no session, or if its newest session is also in the tree: opencode adds new
// sessions only after all copies.
func copies(in *readers.Input, db *sqlite.DB) (bool, error) {
	newest, folder := "", path.Dir(in.Rel)
	err := db.Query(func(row *sqlite.Row) error {
		newest = row.Text(0)
		if project := row.Text(1); project != "" {
			folder = path.Join(path.Dir(folder), project)
		}
		return nil
	}, "SELECT id, "+db.Select("session", "project_id")+" FROM session ORDER BY time_created DESC, id DESC LIMIT 1")
	if newest == "" || err != nil {
		return err == nil, err
	}
	f, err := in.Aside(folder + "/" + newest + extension)
	if err != nil {
		return false, nil //nolint:nilerr // the tree lacks this session
	}
	return true, f.Close()
}
