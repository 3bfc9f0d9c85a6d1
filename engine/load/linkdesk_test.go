package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine/duck"
	"hindsql/engine/store"
	"hindsql/tables"
)

// linkDesk is an in-memory DuckDB with the tables of a store. It is emptied for each
// case.
type linkDesk struct {
	*loader
	t     *testing.T
	clean *linkDesk                      // desk for clean loads
	dumps map[string]map[string][]string // dumps of clean loads, by their logs
	held  map[int64]bool                 // the loaded logs
	all   *sql.Stmt                      // selects every row of every table
}

// linkMachine is the machine of a case's logs, unless they name another machine.
const linkMachine = "here"

func openLinkDesk(t *testing.T) *linkDesk {
	t.Helper()
	ctx := context.Background()
	l, err := openLoader(ctx, store.File{Path: filepath.Join(t.TempDir(), "s.duckdb")}, Config{Config: duck.Config{Machine: linkMachine}, Hostname: linkMachine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	d := &linkDesk{loader: l, t: t, dumps: map[string]map[string][]string{}, held: map[int64]bool{}}
	d.run("SET TimeZone = 'UTC'")
	if err := l.attach(ctx, ":memory:"); err != nil {
		t.Fatal(err)
	}
	if err := l.exec(ctx, duck.StoreDDL(nil)); err != nil {
		t.Fatal(err)
	}
	var pieces []string
	for _, t := range tables.All() {
		if t.View == "" && t.Name != "message_keys" { // their order tells how they came about
			columns := "*"
			if t.Name == "sources" {
				columns = "* EXCLUDE (loaded_at)" // a step that changes a log's rows sets it
			}
			pieces = append(pieces, fmt.Sprintf("SELECT '%[1]s' AS name, CAST(t AS VARCHAR) AS text FROM (SELECT %[3]s FROM %[2]s.%[1]s) t", t.Name, duck.StoreSchema, columns))
		}
	}
	if d.all, err = l.conn.PrepareContext(ctx, strings.Join(pieces, " UNION ALL ")+" ORDER BY ALL"); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *linkDesk) run(statement string) {
	d.t.Helper()
	if err := d.exec(context.Background(), statement); err != nil {
		d.t.Fatalf("%v\n%s", err, statement)
	}
}

// work runs a transaction of the loader.
func (d *linkDesk) work(what string, work func(ctx context.Context) error) {
	d.t.Helper()
	ctx := context.Background()
	if err := d.transaction(ctx, func() error { return work(ctx) }); err != nil {
		d.t.Fatalf("%s: %v", what, err)
	}
}

// linkNow links like a sync.
func (d *linkDesk) linkNow() { d.t.Helper(); d.work("link", d.links.link) }

func (d *linkDesk) empty() {
	d.t.Helper()
	var all strings.Builder
	for _, t := range tables.All() {
		if t.View == "" {
			fmt.Fprintf(&all, "DELETE FROM %s;", t.Name)
		}
	}
	d.run(all.String())
	clear(d.held)
}

// apply changes the loaded logs, as a sync does before its link. A new price list
// touches all logs.
func (d *linkDesk) apply(change linkChange) {
	d.t.Helper()
	d.work(change.name, func(ctx context.Context) (err error) {
		for _, log := range change.logs {
			ids := []int64{log.id}
			switch {
			case change.pruned:
				err = errors.Join(err, d.removeAndRelink(ctx, ids))
				continue
			case change.isGone:
				d.run(fmt.Sprintf("UPDATE sources SET gone_at = TIMESTAMPTZ '2026-02-02 00:00:00Z' WHERE source_id = %d", log.id))
			default:
				err = errors.Join(err, d.takeLog(ctx, log))
			}
			if log.hasPrices {
				ids = slices.Collect(maps.Keys(d.held))
			}
			err = errors.Join(err, d.links.addPending(ctx, ids))
		}
		return err
	})
}

func (d *linkDesk) takeLog(ctx context.Context, log *linkLog) (err error) {
	if d.held[log.id] {
		err = d.remove(ctx, []int64{log.id})
	}
	for _, statement := range log.inserts {
		err = errors.Join(err, d.exec(ctx, statement))
	}
	d.held[log.id] = true
	return err
}

// cleanDump returns the dump of a store with only these logs, loaded at once.
func (d *linkDesk) cleanDump(logs map[string]linkChange) map[string][]string {
	d.t.Helper()
	var key string
	names := slices.Sorted(maps.Keys(logs))
	for _, name := range names {
		key += name + "\n" + logs[name].text
	}
	if d.dumps[key] == nil {
		d.clean.empty()
		for _, name := range names {
			d.clean.apply(logs[name])
		}
		d.clean.linkNow()
		d.dumps[key] = d.clean.dump()
	}
	return d.dumps[key]
}

// dump returns every row of every table, in order.
func (d *linkDesk) dump() map[string][]string {
	d.t.Helper()
	all := map[string][]string{}
	rows, err := d.all.Query() //nolint:rowserrcheck // EachRow checks
	if err == nil {
		err = duck.EachRow(rows, func(scan func(...any) error) error {
			var name, text string
			err := scan(&name, &text)
			all[name] = append(all[name], text)
			return err
		})
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// rows answers a question like the store answers a user: the store's views leave out
// copies and guesses. Bars divide values.
func (d *linkDesk) rows(query string) (list []string) {
	d.t.Helper()
	d.run("USE store.main")
	defer d.run("USE " + duck.StoreSchema)
	rows, err := d.conn.QueryContext(context.Background(), query) //nolint:rowserrcheck // EachRow checks
	if err != nil {
		d.t.Fatalf("%v\n%s", err, query)
	}
	columns, _ := rows.Columns()
	err = duck.EachRow(rows, func(scan func(...any) error) error {
		cells, texts := make([]any, len(columns)), make([]string, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		err := scan(cells...)
		for i, c := range cells {
			if v := *c.(*any); v == nil {
				texts[i] = "NULL"
			} else {
				texts[i] = fmt.Sprint(v)
			}
		}
		list = append(list, strings.Join(texts, "|"))
		return err
	})
	if err != nil {
		d.t.Fatalf("%v\n%s", err, query)
	}
	return list
}

func (d *linkDesk) wantLike(t *testing.T, want map[string][]string, what, when string) {
	t.Helper()
	if diff := cmp.Diff(want, d.dump()); diff != "" {
		t.Errorf("%s: not as %s (-want +got)\n%.6000s", when, what, diff)
	}
}
