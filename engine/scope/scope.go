// Package scope decides which rows of a store a safe Store copies.
//
// In: SQL on a store's tables. Out: conditions for a row to be in scope, and temporary
// tables that the conditions name. The package never writes to the store.
package scope

import (
	"context"
	"strings"

	"hindsql/tables"
)

// Rows runs SQL on a store's tables. Temporary tables last until the session ends.
type Rows interface {
	Exec(ctx context.Context, statement string) error
	Each(ctx context.Context, query string, visit func(scan func(...any) error) error) error
}

// Scope chooses rows.
type Scope interface {
	// Decide is called before the first copy, and after each change of the store.
	Decide(ctx context.Context, rows Rows) error
	// Holds returns the condition for a table's row to be in scope. It names the table's
	// columns without the table. A row of table sources is in scope only if all lines of
	// the log are, because function raw gives any line.
	Holds(t *tables.Table) string
}

// Each is the scope of the rows that are in each of several scopes. Without scopes, all
// rows are.
type Each []Scope

// Decide decides about each scope.
func (e Each) Decide(ctx context.Context, rows Rows) error {
	for _, s := range e {
		if err := s.Decide(ctx, rows); err != nil {
			return err
		}
	}
	return nil
}

// Holds joins the conditions of all scopes.
func (e Each) Holds(t *tables.Table) string {
	conditions := []string{"true"}
	for _, s := range e {
		conditions = append(conditions, "("+s.Holds(t)+")")
	}
	return strings.Join(conditions, " AND ")
}

// schema is the schema of the store's tables.
const schema = "store." + tables.Schema
