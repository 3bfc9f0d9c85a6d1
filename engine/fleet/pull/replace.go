package pull

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// replace replaces the old rows of logs with the fetched rows, in one transaction.
func (p *pulling) replace(ctx context.Context, m *Machine, files fetched, c change) error {
	columns := map[string][]string{}
	for _, t := range pushed() {
		names, err := p.columns(ctx, files[t.Name])
		if err != nil {
			m.Err = fmt.Errorf("%s: %w", t.Name, err)
			return ctx.Err()
		}
		columns[t.Name] = names
	}
	var came []int64
	for _, l := range c.come {
		came = append(came, l.SourceID)
	}
	var refused error // error in the content of the files
	err := p.st.Write(ctx, func(w *engine.Writer) error {
		m.Rows, refused = 0, nil
		others, err := w.Sources(ctx, "source_id IN ("+sqltext.Numbers(came, "%d")+") AND machine IS DISTINCT FROM "+sqltext.Literal(m.ID))
		if err == nil && len(others) > 0 {
			refused = fmt.Errorf("%d of its logs have the ids of other machines' logs", len(others))
			return refused
		}
		if err != nil {
			return err
		}
		if err := w.Remove(ctx, append(slices.Clone(c.gone), came...)); err != nil {
			return err
		}
		for _, t := range pushed() {
			if len(files[t.Name]) == 0 {
				continue
			}
			n, err := w.Exec(ctx, p.insertion(t, m.ID, files[t.Name], columns[t.Name], came))
			if err != nil {
				refused = fmt.Errorf("%s: %w", t.Name, err)
				return refused
			}
			m.Rows += n
		}
		m.Logs, m.Dropped = len(came), len(c.gone)
		if refused, err = checkSources(ctx, w, came); refused != nil || err != nil {
			return errors.Join(refused, err)
		}
		if err := storeFingerprints(ctx, w, m.ID, c.come); err != nil {
			return err
		}
		refused = w.Link(ctx, came) // fails for example if a sum of numbers overflows
		return refused
	})
	if err != nil && refused != nil && ctx.Err() == nil && !errors.As(err, new(*engine.Unwritable)) {
		m.Logs, m.Rows, m.Dropped, m.Err, err = 0, 0, 0, refused, nil
	}
	return err
}

// pushed returns the tables that a pull loads.
func pushed() []*tables.Table {
	return slices.DeleteFunc(append(tables.Pushed(), tables.PushedInternal()...), func(t *tables.Table) bool { return !t.Loaded() })
}

// checkSources checks that table sources has each new log exactly once. Links depend on
// a log's row in sources, and would attribute rows of a missing log to any machine.
func checkSources(ctx context.Context, w *engine.Writer, came []int64) (refused, err error) {
	ids, err := w.Sources(ctx, "source_id IN ("+sqltext.Numbers(came, "%d")+")")
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	if all := len(ids); all != len(came) || len(slices.Compact(ids)) != all {
		return fmt.Errorf("sources: %d rows of %d logs", all, len(came)), nil
	}
	return nil, nil
}

// storeFingerprints stores the fingerprints of pulled logs.
func storeFingerprints(ctx context.Context, w *engine.Writer, machine string, logs []landing.Log) error {
	for some := range slices.Chunk(logs, 1000) {
		var rows []string
		for _, l := range some {
			rows = append(rows, fmt.Sprintf("(%s, %s, %d)", sqltext.Literal(machine), sqltext.Literal(l.Fingerprint), l.SourceID))
		}
		if _, err := w.Exec(ctx, "INSERT INTO pulled (machine, fingerprint, source_id) VALUES "+strings.Join(rows, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// columns returns the columns that a pull reads from a table's files. It returns an
// error if a file is unreadable.
func (p *pulling) columns(ctx context.Context, files []local) (names []string, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	err = p.eachColumn(ctx, files, func(name, kind string) {
		if isRead(kind) {
			names = append(names, name)
		}
	})
	return names, err
}

// eachColumn calls visit with the name and the type of each column of files.
func (p *pulling) eachColumn(ctx context.Context, files []local, visit func(name, kind string)) error {
	return p.st.Each(ctx, "SELECT column_name, column_type FROM (DESCRIBE FROM "+scan(files)+")", func(scan func(...any) error) error {
		var name, kind string
		err := scan(&name, &kind)
		visit(name, kind)
		return err
	})
}

// scan returns the SQL of the rows of files.
func scan(files []local) string {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	return landing.ScanSQL(paths)
}

// insertion returns the SQL that copies a table's rows, in the columns known to both
// machines.
func (p *pulling) insertion(t *tables.Table, machine string, files []local, has []string, ids []int64) string {
	var columns []string
	for _, c := range t.Columns {
		name := sqltext.Identifier(c.Name)
		value := fmt.Sprintf("TRY_CAST(t.%s AS %s)", name, c.Type)
		switch c.Name {
		case "machine":
			value = sqltext.Literal(machine)
		case "cost_estimated_usd":
			value = "NULL" // computed from the prices on this machine
		case "is_copy":
			value = "false" // links decide
		default:
			if !slices.Contains(has, c.Name) {
				continue
			}
			value = tables.ValidCountSQL(t.Name, c.Name, value)
		}
		columns = append(columns, value+" AS "+name)
	}
	return fmt.Sprintf("INSERT INTO %s.%s BY NAME SELECT %s FROM %s AS t WHERE t.source_id IN (%s)",
		engine.StoreSchema, t.Name, strings.Join(columns, ", "), scan(files), sqltext.Numbers(ids, "%d"))
}
