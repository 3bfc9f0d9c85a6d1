package show

import (
	"errors"

	"hindsql/engine"
	"hindsql/engine/export"
)

// Explain gives the text of an error. It adds what to do next where neither the
// error nor DuckDB says so.
func (w Words) Explain(err error) string {
	return err.Error() + w.next(err)
}

func (w Words) next(err error) string {
	var sql *engine.Error
	var alien *engine.NotAStore
	var damaged *engine.Damaged
	switch {
	case errors.As(err, &damaged) && damaged.IsNewer():
		return "; a newer hindsql reads it; `hindsql sync --full` sets it aside for that, and loads the logs anew"
	case errors.As(err, new(*engine.Damaged)), errors.As(err, &sql) && sql.Damaged:
		return "; `hindsql sync --full` sets the damaged store aside, loads the logs anew, and saves what else still reads"
	case errors.As(err, &sql):
		return w.nextOf(sql)
	case errors.As(err, new(*engine.OtherBuild)):
		return "; `" + w.Sync + "` brings it up to date"
	case errors.As(err, &alien) && (alien.IsDuckDB || alien.Kind != ""):
		return "; name another with " + w.Store
	case errors.As(err, &alien):
		return "; move it away, or name another with " + w.Store
	case errors.As(err, new(*engine.Unwritable)):
		return "; make it writable, or name another with " + w.Store
	case errors.As(err, new(*engine.Held)):
		return "; close it there, or name another with " + w.Store
	case errors.As(err, new(*engine.Busy)):
		return "; try again"
	case errors.As(err, new(*export.OtherOptions)):
		return "; leave out " + w.Update + " to export all anew"
	}
	return ""
}

func (w Words) nextOf(e *engine.Error) string {
	switch {
	case e.Hint != "":
		return ""
	case e.Missing == engine.MissingTable:
		return "\n`" + w.Tables + "` lists the tables"
	case e.Missing == engine.MissingColumn:
		return "\n`" + w.Columns + "` lists the columns of a table"
	}
	return ""
}
