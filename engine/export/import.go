package export

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/tables"
)

// ImportOptions says whose export joins the store.
type ImportOptions struct {
	Dir      string // a whole export in Parquet
	Host     string // the name of its machine, which its rows get as host; the machine's id is the export's
	Progress func(Progress)
}

// ImportReport says what an import did.
type ImportReport struct {
	Files    int   // log files of the other machine
	Rows     int64 // that came from them
	Replaced int   // of the machine's log files, those that were there before
	LeftOut  int   // log files of machines that the other one had imported
	Elapsed  time.Duration
}

// Import puts the rows of another machine's export into the store, in place of
// those that the machine had there, in one transaction; then it links them, so
// that a session which lies on both machines counts once. Syncs and prunes leave
// the rows of other hosts alone.
func Import(ctx context.Context, st *engine.Store, o ImportOptions) (report ImportReport, err error) {
	start := time.Now()
	switch {
	case strings.TrimSpace(o.Host) == "":
		return report, fmt.Errorf("host: empty; give the other machine's name")
	case strings.EqualFold(o.Host, st.Hostname()):
		return report, fmt.Errorf("host %q: is this machine's own name; give the other machine's", o.Host)
	}
	from, err := openExport(ctx, st, o.Dir)
	if err != nil {
		return report, err
	}
	if from.machine == st.Machine() {
		return report, fmt.Errorf("%s: was made on this machine, %s; its rows come from its logs. Where it was another one, of the same id, hindsql machine new gives this one another", o.Dir, from.machine)
	}
	ids, err := importedIDs(ctx, st, from)
	if err != nil {
		return report, err
	}
	report.Files, report.LeftOut = len(ids.rows), ids.leftOut
	err = st.Write(ctx, func(w *engine.Writer) error {
		i := importer{w, from, o}
		report.Rows, report.Replaced, err = i.replace(ctx, ids)
		return err
	})
	report.Elapsed = time.Since(start)
	return report, err
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
func importedIDs(ctx context.Context, st *engine.Store, from *exported) (ids importIDs, err error) {
	query := fmt.Sprintf("SELECT source_id, agent, path, coalesce(part, ''), coalesce(machine, '') FROM %s", from.scan(tables.Sources()))
	err = st.Each(ctx, query, func(scan func(...any) error) error {
		var id int64
		var origin string
		src := tables.Source{Machine: from.machine}
		if err := scan(&id, &src.Agent, &src.Path, &src.Part, &origin); err != nil {
			return err
		}
		if origin != from.machine {
			ids.leftOut++
			return nil
		}
		ids.rows = append(ids.rows, fmt.Sprintf("(%d, %d)", id, src.ID()))
		ids.news = append(ids.news, src.ID())
		return nil
	})
	return ids, err
}

// importer writes an export's rows to the store.
type importer struct {
	*engine.Writer
	from *exported
	ImportOptions
}

// replace drops what the machine had, and puts the export's rows in place. What
// shared messages with the old rows is linked anew, too.
func (i *importer) replace(ctx context.Context, ids importIDs) (rows int64, replaced int, err error) {
	had, err := i.Sources(ctx, "machine = "+tables.Quote(i.from.machine))
	if err != nil {
		return 0, 0, err
	}
	if err := i.Remove(ctx, had); err != nil {
		return 0, 0, err
	}
	if err := i.renumber(ctx, ids); err != nil {
		return 0, 0, err
	}
	all := tables.Loaded()
	for n, t := range all {
		if i.Progress != nil {
			i.Progress(Progress{t.Name, n, len(all)})
		}
		inserted, err := i.Exec(ctx, i.insertion(t))
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", t.Name, err)
		}
		rows += inserted
	}
	return rows, len(had), i.Link(ctx, ids.news)
}

// renumber makes the table of the sources' old and new ids.
func (i *importer) renumber(ctx context.Context, ids importIDs) error {
	if _, err := i.Exec(ctx, "CREATE OR REPLACE TEMP TABLE imported_ids (old_id BIGINT, new_id BIGINT)"); err != nil {
		return err
	}
	for some := range slices.Chunk(ids.rows, 1000) {
		if _, err := i.Exec(ctx, "INSERT INTO imported_ids VALUES "+strings.Join(some, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// insertion is the SQL that copies a table's rows. A session's id may end in
// that of its file, see the first of the links.
func (i *importer) insertion(t *tables.Table) string {
	var columns []string
	for _, c := range t.Columns {
		value := tables.SoundSQL(t.Name, c.Name, "t."+c.Name)
		switch c.Name {
		case "source_id":
			value = "i.new_id"
		case "host":
			value = tables.Quote(i.Host)
		case "cost_estimated_usd":
			value = "NULL" // by the prices here
		case "is_copy":
			value = "false" // links tell
		case "is_inferred":
			value = tables.GuessSQL("t.evidence", "t.confidence")
		case "session_id":
			value = tables.Renumbered("t.session_id", "i.old_id", "i.new_id")
		}
		columns = append(columns, value+" AS "+c.Name)
	}
	return fmt.Sprintf("INSERT INTO %s.%s BY NAME SELECT %s FROM %s AS t JOIN temp.main.imported_ids AS i ON t.source_id = i.old_id",
		engine.StoreSchema, t.Name, strings.Join(columns, ", "), i.from.scan(t))
}
