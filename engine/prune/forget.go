package prune

import (
	"context"
	"slices"

	"hindsql/engine"
	"hindsql/engine/forget"
	"hindsql/tables"
)

// Forget puts sessions of the store on the list of forgotten sessions. The next sync
// makes the store anew without them, their subagents, and copies of their messages. No
// later load or pull brings them back.
func Forget(ctx context.Context, st *engine.Store, sessions []forget.Name) error {
	if len(sessions) == 0 {
		return nil
	}
	return st.Write(ctx, func(w *engine.Writer) error {
		list, err := forget.Read(st.File())
		if err != nil {
			return err
		}
		chosen, err := forget.Describe(ctx, w, sessions)
		if err != nil {
			return err
		}
		for _, s := range chosen {
			list.Add(s)
		}
		return list.Write(st.File())
	})
}

// Remember takes a session off the list of forgotten sessions. The next sync makes the
// store anew with the session's rows, if its log is still there. id may be the unique
// beginning of an id. Rows of other machines come with the next pull.
func Remember(ctx context.Context, st *engine.Store, id string) (s forget.Session, err error) {
	list, err := forget.Read(st.File())
	if err == nil {
		_, err = list.Find(id)
	}
	if err != nil {
		return s, err
	}
	err = st.Write(ctx, func(w *engine.Writer) error {
		list, err := forget.Read(st.File()) // again, while no other process writes
		if err != nil {
			return err
		}
		found, err := list.Find(id)
		if err != nil {
			return err
		}
		s = *found
		list.Sessions = slices.DeleteFunc(list.Sessions, func(s *forget.Session) bool { return s == found })
		if _, err := w.Exec(ctx, "DELETE FROM "+tables.Pulled().Name); err != nil { // the next pull brings all logs anew
			return err
		}
		return list.Write(st.File())
	})
	return s, err
}
