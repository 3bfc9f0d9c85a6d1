package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/tables"
)

// ImportOptions says whose export joins the store.
type ImportOptions struct {
	Dir      string // a whole export in Parquet
	Host     string // the name that its rows get as their machine's
	Progress func(ExportProgress)
}

// ImportReport says what an import did.
type ImportReport struct {
	Files    int   // log files of the other machine
	Rows     int64 // that came from them
	Replaced int   // of the host's log files, those that were there before
	LeftOut  int   // log files of machines that the other one had imported
	Elapsed  time.Duration
}

// Import puts the rows of another machine's export into the store, in place of
// those that the host had there, in one transaction; then it links them, so
// that a session which lies on both machines counts once. Syncs and prunes leave
// the rows of other hosts alone.
func (st *Store) Import(ctx context.Context, o ImportOptions) (ImportReport, error) {
	start := time.Now()
	switch {
	case strings.TrimSpace(o.Host) == "":
		return ImportReport{}, fmt.Errorf("host: empty; give the other machine's name")
	case strings.EqualFold(o.Host, st.settings().Hostname):
		return ImportReport{}, fmt.Errorf("host %q: is this machine's own name; give the other machine's", o.Host)
	}
	from, err := st.openExport(ctx, o.Dir)
	if err != nil {
		return ImportReport{}, err
	}
	ids, err := st.importedIDs(ctx, from, o.Host)
	if err != nil {
		return ImportReport{}, err
	}
	report := ImportReport{Files: len(ids.rows), LeftOut: ids.leftOut}
	err = st.writeAlone(ctx, func(l *loader) error {
		i := importer{l, from, o}
		report.Rows, report.Replaced, err = i.replace(ctx, ids)
		return err
	})
	report.Elapsed = time.Since(start)
	return report, err
}

// writeAlone calls write, in one transaction, while no other process writes to
// the store, which it makes when there is none.
func (st *Store) writeAlone(ctx context.Context, write func(*loader) error) error {
	s, err := st.state(ctx)
	if err != nil {
		return err
	}
	if s.foreign {
		report, err := st.Sync(ctx, SyncOptions{})
		switch {
		case err != nil:
			return err
		case report.Held != nil:
			return report.Held
		case report.Busy:
			return &Busy{st.path}
		}
	}
	lock, locked, err := st.lock(ctx)
	if err != nil {
		return err
	}
	if !locked {
		return &Busy{st.path}
	}
	defer lock.Unlock()
	l, err := openLoader(ctx, st.path)
	if err != nil {
		return err
	}
	defer l.close()
	return st.write(ctx, l, laterTurn, func() error { return write(l) })
}

// importIDs are the sources of an export: the ids that they had, and get.
type importIDs struct {
	rows    []string // SQL rows: (old, new)
	news    []int64
	leftOut int
}

// importedIDs reads the sources of the machine that made the export. Rows that
// it had imported itself are left out: they are to come from their own machine,
// or are this one's.
func (st *Store) importedIDs(ctx context.Context, from *exported, host string) (ids importIDs, err error) {
	query := fmt.Sprintf("SELECT source_id, agent, path, coalesce(part, ''), coalesce(host, '') FROM %s", from.scan(tables.Sources()))
	err = st.each(ctx, query, func(scan func(...any) error) error {
		var id int64
		var origin string
		src := tables.Source{Host: host}
		if err := scan(&id, &src.Agent, &src.Path, &src.Part, &origin); err != nil {
			return err
		}
		if origin != from.host {
			ids.leftOut++
			return nil
		}
		ids.rows = append(ids.rows, fmt.Sprintf("(%d, %d)", id, src.ID()))
		ids.news = append(ids.news, src.ID())
		return nil
	})
	return ids, err
}

// importer writes an export's rows to the attached store.
type importer struct {
	*loader
	from *exported
	ImportOptions
}

// replace drops what the host had, and puts the export's rows in place. What
// shared messages with the old rows is linked anew, too.
func (i *importer) replace(ctx context.Context, ids importIDs) (rows int64, replaced int, err error) {
	had, err := i.ids(ctx, "SELECT source_id FROM sources WHERE host = "+quote(i.Host))
	if err != nil {
		return 0, 0, err
	}
	if err := i.drop(ctx, had); err != nil {
		return 0, 0, err
	}
	if err := i.exec(ctx, "CREATE OR REPLACE TEMP TABLE imported_ids (old_id BIGINT, new_id BIGINT)"); err != nil {
		return 0, 0, err
	}
	for some := range slices.Chunk(ids.rows, 1000) {
		if err := i.exec(ctx, "INSERT INTO imported_ids VALUES "+strings.Join(some, ", ")); err != nil {
			return 0, 0, err
		}
	}
	all := importedTables()
	for n, t := range all {
		if i.Progress != nil {
			i.Progress(ExportProgress{t.Name, n, len(all)})
		}
		result, err := i.conn.ExecContext(ctx, i.insertion(t))
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", t.Name, err)
		}
		if n, err := result.RowsAffected(); err == nil {
			rows += n
		}
	}
	if err := i.pend(ctx, ids.news); err != nil {
		return 0, 0, err
	}
	return rows, len(had), i.link(ctx)
}

// drop removes the rows of sources, and has those linked anew that shared
// messages with them.
func (l *loader) drop(ctx context.Context, sources []int64) error {
	if len(sources) == 0 {
		return nil
	}
	list := strings.Join(each(sources, "%d"), ", ")
	if err := l.exec(ctx, "INSERT INTO pending_links SELECT other_source_id FROM related_sources WHERE source_id IN ("+list+")"); err != nil {
		return err
	}
	return l.remove(ctx, sources)
}

// insertion is the SQL that copies a table's rows. A session's id may end in
// that of its file, see the first of the links.
func (i *importer) insertion(t *tables.Table) string {
	var columns []string
	for _, c := range t.Columns {
		value := "t." + c.Name
		switch c.Name {
		case "source_id":
			value = "i.new_id"
		case "host":
			value = quote(i.Host)
		case "is_copy":
			value = "false" // links tell
		case "session_id":
			value = renumbered("t.session_id", "i.old_id", "i.new_id")
		}
		columns = append(columns, value+" AS "+c.Name)
	}
	return fmt.Sprintf("INSERT INTO %s.%s BY NAME SELECT %s FROM %s AS t JOIN temp.main.imported_ids AS i ON t.source_id = i.old_id",
		storeSchema, t.Name, strings.Join(columns, ", "), i.from.scan(t))
}

// importedTables are those whose rows come from logs; links make the others.
func importedTables() (list []*tables.Table) {
	for _, t := range tables.All() {
		if t.Loaded() {
			list = append(list, t)
		}
	}
	return list
}
