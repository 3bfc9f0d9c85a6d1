package engine

import (
	"errors"
	"slices"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/tables"
)

// Refuse makes a Store refuse the rows of a source, as DuckDB would.
func Refuse(st *Store, source int64) {
	st.backend.(*fileBackend).file.Refuse = func(b *tables.Batch) error {
		if len(b.Records(tables.Sources())) == 0 || !slices.Contains(b.Sources(), source) || len(b.Tables()) < 3 {
			return nil // a batch that only marks a file as left aside is accepted
		}
		return errors.Join(&duckdb.Error{Type: duckdb.ErrorTypeConversion, Msg: "messages: Conversion Error: made up"})
	}
}
