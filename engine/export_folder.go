package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"hindsql/tables"
)

// What lies in an export's folder beside the rows.
const (
	manifestName = ".hindsql-export.json"      // what is there, for the next export
	intentName   = ".hindsql-export.next.json" // what will be there, while files are moved to their places
	stageName    = ".hindsql-export.tmp"       // where files are made
)

// exportedOptions are the options that two exports must share for one to update
// the other.
type exportedOptions struct {
	Format      string   `json:"format"`
	PartitionBy []string `json:"partition_by,omitempty"`
	Query       string   `json:"query,omitempty"`
	Args        string   `json:"args,omitempty"`
	Since       string   `json:"since,omitempty"`
	Until       string   `json:"until,omitempty"`
	Agents      []string `json:"agents,omitempty"`
	Project     string   `json:"project,omitempty"`
	Redact      string   `json:"redact,omitempty"` // the set of rules
	Timezone    string   `json:"timezone"`
}

func (o *ExportOptions) record(zone string) exportedOptions {
	r := exportedOptions{
		Format: o.Format, PartitionBy: o.PartitionBy, Since: o.Since.Text, Until: o.Until.Text,
		Agents: o.Agents, Project: o.Project, Timezone: zone,
	}
	if o.Query != nil {
		r.Query, r.Args = o.Query.SQL, fmt.Sprint(o.Query.Args)
	}
	if o.Redact != nil {
		r.Redact = o.Redact.Rules()
	}
	return r
}

func (o exportedOptions) String() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(text)
}

// manifest says what an export's folder holds.
type manifest struct {
	Tables map[string]exportedTable `json:"tables"` // by the item's name
}

type exportedTable struct {
	Options    exportedOptions               `json:"options"`
	Schema     string                        `json:"schema"`
	Partitions map[string]*exportedPartition `json:"partitions"` // by their folders; "" for a table in one file
}

type exportedPartition struct {
	Rows  int64    `json:"rows"`
	Hash  string   `json:"hash"` // of the rows; empty when it isn't known what the files hold
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

// exportFolder is the folder of an export that is being written.
type exportFolder struct {
	path, stage string
	lock        *flock.Flock
	had         manifest // what the last export left
	next        manifest
}

// openExportFolder takes the folder, and removes what a killed export left.
func openExportFolder(dir string) (*exportFolder, error) {
	d := &exportFolder{path: dir, stage: filepath.Join(dir, stageName), next: manifest{map[string]exportedTable{}}}
	if err := os.MkdirAll(d.stage, 0o700); err != nil {
		return nil, err
	}
	d.lock = flock.New(filepath.Join(d.stage, "lock"), flock.SetPermissions(0o600))
	locked, err := d.lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !locked {
		return nil, fmt.Errorf("%s: another process is exporting into it; try again", dir)
	}
	if err := errors.Join(d.sweep(), d.load()); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// sweep empties the stage, but for the lock.
func (d *exportFolder) sweep() error {
	entries, err := os.ReadDir(d.stage)
	for _, e := range entries {
		if e.Name() != "lock" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(d.stage, e.Name())))
		}
	}
	return err
}

func (d *exportFolder) close() {
	os.RemoveAll(d.stage)
	d.lock.Unlock()
	os.Remove(d.lock.Path()) // there still where open files can't be removed
	os.Remove(d.stage)
}

// load reads the manifest, and the intent of an export that was killed while
// it moved its files: whose a file is that the two don't agree about, or what
// it holds, is not known.
func (d *exportFolder) load() error {
	if err := readManifest(filepath.Join(d.path, manifestName), &d.had); err != nil {
		return err
	}
	var intent manifest
	if err := readManifest(filepath.Join(d.path, intentName), &intent); err != nil {
		return err
	}
	if d.had.Tables == nil {
		d.had.Tables = map[string]exportedTable{}
	}
	for name, meant := range intent.Tables {
		d.had.Tables[name] = uncertain(d.had.Tables[name], meant)
	}
	return nil
}

func uncertain(had, meant exportedTable) exportedTable {
	same := had.Schema == meant.Schema && had.Options.String() == meant.Options.String()
	if had.Partitions == nil {
		had = exportedTable{meant.Options, meant.Schema, map[string]*exportedPartition{}}
	}
	for path, p := range meant.Partitions {
		if old := had.Partitions[path]; old == nil {
			had.Partitions[path] = &exportedPartition{p.Rows, "", p.Files}
		} else if !same || old.Hash != p.Hash {
			had.Partitions[path] = &exportedPartition{p.Rows, "", append(old.Files, p.Files...)}
		}
	}
	return had
}

func readManifest(path string, m *manifest) error {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if err := json.Unmarshal(text, m); err != nil {
		return fmt.Errorf("%s: %w; remove the export, or choose another folder", path, err)
	}
	return nil
}

// known is what the last export says of an item.
func (d *exportFolder) known(item *exportItem) (exportedTable, error) {
	had, ok := d.had.Tables[item.name]
	switch {
	case !ok || had.Schema != tables.SchemaHash():
		return exportedTable{}, nil
	case had.Options.String() != item.options.String():
		return had, fmt.Errorf("%s: %s was exported with %v, and now with %v; leave out --update to export all anew", d.path, item.name, had.Options, item.options)
	}
	return had, nil
}

// holds says whether a partition's files are all there.
func (d *exportFolder) holds(p *exportedPartition) bool {
	return !slices.ContainsFunc(p.Files, func(f string) bool { return !onThisDisk(d.place(f)) })
}

func (d *exportFolder) place(file string) string {
	return filepath.Join(d.path, filepath.FromSlash(file))
}

// collect notes which files were staged for each partition of a table.
func (d *exportFolder) collect(name string, partitions map[string]*exportedPartition) error {
	files, err := filesBelow(filepath.Join(d.stage, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	for _, f := range files {
		partition := partitions[path.Dir(f)]
		if partition == nil {
			return fmt.Errorf("%s: %s was written, and is no partition that was asked for", name, f)
		}
		partition.Files = append(partition.Files, name+"/"+f)
	}
	return nil
}

// filesBelow lists the files below a folder, slash-separated and relative to it.
func filesBelow(root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, p)
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	return files, err
}

// publish moves the staged files to their places, and removes those of the
// same tables that are no longer part of the export. What another export
// wrote into the folder stays, and what somebody else did is never replaced.
func (d *exportFolder) publish(report *ExportReport) error {
	old := d.had.files()
	var staged []string
	for f := range d.next.files() {
		if !onThisDisk(filepath.Join(d.stage, filepath.FromSlash(f))) {
			report.Unchanged++
			continue
		}
		if staged = append(staged, f); !old[f] && onThisDisk(d.place(f)) {
			return fmt.Errorf("%s: there already, and not from an export; move it away, or choose another folder", d.place(f))
		}
	}
	for name, t := range d.had.Tables {
		if _, again := d.next.Tables[name]; !again {
			d.next.Tables[name] = t
		}
	}
	if err := d.save(intentName); err != nil {
		return err
	}
	for _, f := range staged {
		if err := d.move(f, report); err != nil {
			return err
		}
	}
	keep := d.next.files()
	for f := range old {
		if !keep[f] {
			report.Removed++
			d.remove(f)
		}
	}
	if err := d.save(manifestName); err != nil {
		return err
	}
	return os.Remove(d.place(intentName))
}

func (d *exportFolder) move(file string, report *ExportReport) error {
	from := filepath.Join(d.stage, filepath.FromSlash(file))
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	report.Files++
	report.Bytes += info.Size()
	if err := os.MkdirAll(filepath.Dir(d.place(file)), 0o777); err != nil {
		return err
	}
	return os.Rename(from, d.place(file))
}

// remove removes a file, and the folders that it leaves empty.
func (d *exportFolder) remove(file string) {
	for f := file; f != "."; f = path.Dir(f) {
		if os.Remove(d.place(f)) != nil && f != file {
			return
		}
	}
}

func (d *exportFolder) save(name string) error {
	text, err := json.MarshalIndent(d.next, "", " ")
	if err != nil {
		return err
	}
	made := filepath.Join(d.stage, strings.TrimPrefix(name, "."))
	if err := os.WriteFile(made, text, 0o600); err != nil {
		return err
	}
	return os.Rename(made, filepath.Join(d.path, name))
}
