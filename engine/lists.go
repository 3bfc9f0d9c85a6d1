package engine

import (
	"context"
	"database/sql/driver"
	"errors"
	"io/fs"
	"os"
	"strings"

	"hindsql/internal/regular"
	"hindsql/tables"
)

// list is function listed_rows for the user's own SQL: the rows of a list, see
// [tables.Lists], as JSON.
func (in *instance) list(ctx context.Context, arguments []driver.Value) (any, error) {
	if list := arguments[0].(string); list != tables.ListOfTables {
		return (&Store{settings: in.settings, disks: in.disks}).list(list, true)
	}
	return in.listTables(ctx)
}

// listTables returns the list of tables. Each DuckDB counts the rows that it holds.
func (in *instance) listTables(ctx context.Context) (string, error) {
	counts := map[string]any{}
	err := in.each(ctx, tables.ListCounts("memory."+ourNames), func(scan func(...any) error) error {
		var name string
		var n int64
		err := scan(&name, &n)
		counts[name] = n
		return err
	})
	if err != nil {
		return "", err
	}
	return tables.ListText(tables.ListOfTables, tables.TableRows(counts))
}

// list returns the rows of a list other than tables as JSON. whole is false for SQL with
// a scope: report runs, the folders of logs and the user's own queries belong to no
// project, and an error may name a file.
func (st *Store) list(name string, whole bool) (string, error) {
	var rows [][]any
	switch c := st.settings.get(); {
	case name == tables.ReportRuns().Name && whole:
		journal, err := regular.Read(RunsPath(c.Store), regular.Own)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return tables.ListRuns(string(journal))
		}
		return "", err
	case name == "agents" && whole:
		rows = st.agents()
	case name == "queries" && c.Queries != nil:
		rows = c.Queries(whole)
	case name == "prices" && c.Prices.Read != nil:
		prices, err := c.Prices.Read()
		switch {
		case err != nil && whole:
			return "", err
		case err != nil:
			return "", errors.New("prices: the list can't be read")
		}
		rows = tables.PriceRows(prices)
	}
	return tables.ListText(name, rows)
}

// agents looks up the folders of all agents. Of an agent without a reader it opens no
// file. A folder on a silent disk counts as missing.
func (st *Store) agents() (rows [][]any) {
	places, _ := st.Places() // each place has its error
	for _, p := range places {
		var why any
		if wrong := errors.Join(p.Silent, p.Unlisted); wrong != nil {
			why = wrong.Error()
		}
		rows = append(rows, []any{p.Agent, p.Path, p.From, p.Exists, p.Files, p.Bytes, p.Exists && why == nil, why})
	}
	c := st.settings.get()
	dog := st.disks.watchdog(c, false)
	for _, o := range c.Others {
		for _, path := range o.Folders(c.Host) {
			if dog.Finds(path) {
				rows = append(rows, []any{o.Title, path, "default", true, nil, nil, false, o.Why})
			}
		}
	}
	return rows
}

// RunsPath returns the path of the journal of report runs that belongs to a store. The
// journal lies in a separate folder, to survive any loss of the store.
func RunsPath(store string) string {
	return strings.TrimSuffix(store, ".duckdb") + ".reports" + string(os.PathSeparator) + "runs.ndjson"
}
