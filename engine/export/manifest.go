package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/internal/regular"
)

// Hindsql's own names in an export's folder.
const (
	manifestName = ".hindsql-export.json" // list of the files, for the next export
	stageName    = ".hindsql-export.tmp"  // folder for unfinished files
)

// recorded are the options that must stay the same for an export to update an earlier
// export.
type recorded struct {
	Format      string   `json:"format"`
	PartitionBy []string `json:"partition_by,omitempty"`
	Query       string   `json:"query,omitempty"`
	Args        string   `json:"args,omitempty"`
	Since       string   `json:"since,omitempty"`
	Until       string   `json:"until,omitempty"`
	Agents      []string `json:"agents,omitempty"`
	Project     string   `json:"project,omitempty"`
	Sessions    []string `json:"sessions,omitempty"`
	Redact      string   `json:"redact,omitempty"` // name of the redaction rules
	Timezone    string   `json:"timezone"`
}

func (o *Options) record(zone string) recorded {
	r := recorded{
		Format: o.Format, PartitionBy: o.PartitionBy, Since: o.Since.Text, Until: o.Until.Text,
		Agents: o.Agents, Project: o.redactText(o.Project), Timezone: zone,
	}
	for _, id := range o.Sessions {
		r.Sessions = append(r.Sessions, o.redactText(id))
	}
	if o.Query != nil {
		r.Query, r.Args = o.redactText(o.Query.SQL), o.redactText(fmt.Sprint(o.Query.Args))
	}
	if o.Redact != nil {
		r.Redact = o.Redact.Rules()
	}
	return r
}

func (o recorded) String() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(text)
}

// manifest lists the content of an export's folder.
type manifest struct {
	Tables map[string]exportedTable `json:"tables"` // by item name
}

type exportedTable struct {
	Options    recorded                      `json:"options"`
	Schema     string                        `json:"schema"`
	Partitions map[string]*exportedPartition `json:"partitions"` // by folder; "" for a table in one file
}

type exportedPartition struct {
	Rows  int64    `json:"rows"`
	Hash  string   `json:"hash"` // of the rows; empty if the files' content is uncertain
	Files []string `json:"files"`
}

func (m *manifest) files() map[string]bool {
	all := map[string]bool{}
	for _, t := range m.Tables {
		for _, p := range t.Partitions {
			for _, f := range p.Files {
				all[f] = true
			}
		}
	}
	return all
}

// entryWhileMoving returns an item's manifest entry while its files move into place. If a
// partition changes, its entry lists the old and the new files without a hash, because
// any of the files may exist.
func entryWhileMoving(had, meant exportedTable) exportedTable {
	same := had.Schema == meant.Schema && had.Options.String() == meant.Options.String()
	now := exportedTable{had.Options, had.Schema, maps.Clone(had.Partitions)}
	if had.Partitions == nil {
		now = exportedTable{meant.Options, meant.Schema, map[string]*exportedPartition{}}
	}
	for file, p := range meant.Partitions {
		if old := had.Partitions[file]; old == nil {
			now.Partitions[file] = &exportedPartition{p.Rows, "", p.Files}
		} else if !same || old.Hash != p.Hash {
			files := slices.Concat(old.Files, p.Files)
			slices.Sort(files)
			now.Partitions[file] = &exportedPartition{p.Rows, "", slices.Compact(files)}
		}
	}
	return now
}

// readManifest reads a manifest. Anyone may have written the file.
func readManifest(root *os.Root, name string, m *manifest) error {
	text, err := regular.ReadIn(root, name, regular.Own)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	err = json.Unmarshal(text, m)
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return fmt.Errorf("%s: %w; remove the export, or choose another folder", filepath.Join(root.Name(), name), err)
	}
	return nil
}

// check refuses manifests that no export writes: file names outside the folder, or not
// of their item. Otherwise an export might remove or read such files.
func (m *manifest) check() error {
	for name, t := range m.Tables {
		for _, p := range t.Partitions {
			if p == nil {
				return fmt.Errorf("%q has no files", name)
			}
			for _, f := range p.Files {
				if !isOf(name, f) {
					return fmt.Errorf("%q is no file of an export's %q", f, name)
				}
			}
		}
	}
	return nil
}

// isOf reports whether a file belongs to an item: NAME.parquet, or NAME/….parquet.
// Characters of DuckDB's file patterns are refused.
func isOf(item, file string) bool {
	inside := strings.HasPrefix(file, item+".") || strings.HasPrefix(file, item+"/")
	return inside && item != "" && filepath.IsLocal(filepath.FromSlash(file)) && path.Clean(file) == file && !strings.ContainsAny(file, "*?[\\\x00")
}

// OtherOptions is the error of an update if the last export had other options. An
// export without update replaces such files.
type OtherOptions struct {
	Dir, Item string // Item is the table, or the query
	Had, Now  string // the options of the last export and of this one
}

// Error names both sets of options.
func (o *OtherOptions) Error() string {
	return fmt.Sprintf("%s: %s was exported with %s, and now with %s", o.Dir, o.Item, o.Had, o.Now)
}
