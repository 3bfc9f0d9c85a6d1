package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/engine"
	"hindsql/tables"
)

// exported is an export that is read.
type exported struct {
	dir     string
	root    *os.Root            // dir; links out of it are not followed
	files   map[string][]string // by table, as manifest names them
	copies  map[string][]string // by table, those of the rows that the views leave out
	host    string              // of the machine that made it
	machine string              // its id
}

// openExport finds an export's files, and sees that this build can read them.
func openExport(ctx context.Context, st *engine.Store, dir string) (*exported, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lacks(dir, itemName(tables.Loaded()[0]))
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	e := &exported{dir: dir, root: root, files: map[string][]string{}, copies: map[string][]string{}}
	if isThere(root, intentName) {
		return nil, fmt.Errorf("%s: its export was cut off; export there again", dir)
	}
	var m manifest
	if err := readManifest(root, manifestName, &m); err != nil {
		return nil, err
	}
	for _, t := range tables.Loaded() {
		files, err := e.find(itemName(t), m)
		if err != nil {
			return nil, err
		}
		e.files[t.Name] = files
		if t.Apart() != "" {
			copies, err := e.find(copiesName(t), m)
			if err != nil {
				return nil, err
			}
			e.copies[t.Name] = copies
		}
	}
	return e, e.checkSchema(ctx, st)
}

func lacks(dir, item string) error {
	return fmt.Errorf("%s: no %s; only a whole export can be imported: export all tables there", dir, item)
}

func itemName(t *tables.Table) string {
	if t.Internal {
		return internalFolder + t.Name
	}
	return t.Name
}

// copiesName is the item that holds those of a table's rows which the views leave
// out: copies, and what is only inferred.
func copiesName(t *tables.Table) string { return internalFolder + "copies_of_" + t.Name }

// find gives a table's files, by the manifest when there is one: a copy of an
// export may still have files that it has no longer.
func (e *exported) find(name string, m manifest) ([]string, error) {
	var files []string
	if m.Tables != nil {
		for _, p := range m.Tables[name].Partitions {
			files = append(files, p.Files...)
		}
	} else {
		var err error
		if files, err = e.search(name); err != nil {
			return nil, err
		}
	}
	slices.Sort(files)
	for _, f := range files {
		if !strings.HasSuffix(f, "."+Parquet) {
			return nil, fmt.Errorf("%s: %s: only an export in Parquet can be imported", e.dir, f)
		}
		if err := e.isFile(f); err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, lacks(e.dir, name)
	}
	return files, nil
}

// isFile refuses what is no file of the folder's own.
func (e *exported) isFile(name string) error {
	info, err := e.root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: missing; copy the whole folder, or export it again", e.place(name))
	case err != nil:
		return fmt.Errorf("%s: %w", e.dir, err)
	case !info.Mode().IsRegular() || strings.ContainsAny(name, "*?["):
		return fmt.Errorf("%s: no file of an export; export it again", e.place(name))
	}
	return nil
}

func (e *exported) search(name string) (files []string, err error) {
	if isThere(e.root, name+"."+Parquet) {
		return []string{name + "." + Parquet}, nil
	}
	if !isThere(e.root, name) {
		return nil, nil
	}
	found, err := filesBelow(e.place(name))
	for _, f := range found {
		files = append(files, name+"/"+f)
	}
	return files, err
}

func (e *exported) place(file string) string { return filepath.Join(e.dir, filepath.FromSlash(file)) }

// scan is the SQL that reads a table, copies included.
func (e *exported) scan(t *tables.Table) string {
	rows := e.read(e.files[t.Name])
	if copies := e.copies[t.Name]; len(copies) > 0 {
		return "(FROM " + rows + " UNION ALL BY NAME FROM " + e.read(copies) + ")"
	}
	return rows
}

func (e *exported) read(files []string) string {
	hive := slices.ContainsFunc(files, func(f string) bool { return strings.Contains(f, "=") })
	options := ", hive_partitioning = false"
	if hive {
		options = ", hive_partitioning = true, hive_types_autocast = false"
	}
	return fmt.Sprintf("read_parquet([%s]%s)", strings.Join(quoteAll(e.places(files)), ", "), options)
}

func (e *exported) places(files []string) []string {
	list := make([]string, len(files))
	for i, f := range files {
		list[i] = e.place(f)
	}
	return list
}

// checkSchema refuses files of another build's tables, or of nobody's.
func (e *exported) checkSchema(ctx context.Context, st *engine.Store) error {
	var all []string
	for _, items := range []map[string][]string{e.files, e.copies} {
		for _, files := range items {
			all = append(all, e.places(files)...)
		}
	}
	slices.Sort(all)
	seen := 0
	query := fmt.Sprintf("SELECT file_name, decode(key), decode(value) FROM parquet_kv_metadata([%s]) WHERE decode(key) IN (%s, %s, %s)",
		strings.Join(quoteAll(all), ", "), tables.Quote(metaSchema), tables.Quote(metaHost), tables.Quote(metaMachine))
	err := st.Each(ctx, query, func(scan func(...any) error) error {
		var file, key, value string
		if err := scan(&file, &key, &value); err != nil {
			return err
		}
		if key == metaHost {
			e.host = value
		} else if key == metaMachine {
			e.machine = value
		} else if seen++; value != tables.SchemaHash() {
			return fmt.Errorf("%s: its tables are %s, here they are %s; run the same version of hindsql on both machines, and export again", file, value, tables.SchemaHash())
		}
		return nil
	})
	if err == nil && seen < len(all) {
		err = fmt.Errorf("%s: %d of its files don't say which tables they are; export it again", e.dir, len(all)-seen)
	}
	return err
}
