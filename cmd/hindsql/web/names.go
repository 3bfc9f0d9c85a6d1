package web

import (
	"context"
	"strings"
	"sync"

	"hindsql/internal/result"
)

// projectNames has the names of all projects, by folder. To name one, DuckDB compares
// the folders of all, which takes longer than the rows of most pages. So the names are
// read once for each state of the store's file.
type projectNames struct {
	mutex sync.Mutex
	mark  string            // of the store's file, from before the names were read
	names map[string]string // nil before the first page
}

// names returns the names of all projects, by folder.
func (q *request) names(ctx context.Context) (map[string]string, error) {
	p := &q.server.names
	p.mutex.Lock()
	defer p.mutex.Unlock()
	mark := q.server.Source.Store().Mark()
	if p.names != nil && mark != "" && p.mark == mark {
		return p.names, nil
	}
	set, err := q.run(ctx, "SELECT project, name FROM projects WHERE name IS NOT NULL", nil)
	if err != nil {
		return nil, err
	}
	p.mark, p.names = mark, map[string]string{}
	for _, row := range set.Rows {
		folder, _ := row[0].(string)
		p.names[folder], _ = row[1].(string)
	}
	return p.names, nil
}

// nameless hides the names of projects from a query: its names are the folders then.
// hindsql's own queries only read names from the view projects, so their rows stay the
// same.
const nameless = "WITH projects AS (SELECT NULL::VARCHAR AS project, NULL::VARCHAR AS name WHERE false)\n"

// runNameless runs a query of hindsql's own with folders in place of projects' names.
func (q *request) runNameless(ctx context.Context, sql string, args map[string]any) (result.Set, error) {
	if strings.HasPrefix(sql, "SELECT") {
		sql = nameless + sql
	}
	return q.run(ctx, sql, args)
}
