package show

import (
	"errors"
	"strings"

	"hindsql/engine"
)

// Explain is an error with what to do next, where DuckDB doesn't say that.
func (w Words) Explain(err error) string {
	var sql *engine.Error
	switch {
	case !errors.As(err, &sql) || sql.Hint != "":
	case sql.Kind == "catalog" && strings.Contains(sql.Message, "Table with name"):
		return err.Error() + "\n`" + w.Tables + "` lists the tables"
	case strings.Contains(sql.Message, "Referenced column"):
		return err.Error() + "\n`" + w.Columns + "` lists the columns of a table"
	}
	return err.Error()
}
