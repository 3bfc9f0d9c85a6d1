// Package landing is where machines put what they push, and others find it:
// files of rows under each machine's own prefix, and a manifest that says which
// of them count.
//
//	landing/v1/MACHINE/manifest.json                       what counts, written last
//	landing/v1/MACHINE/TABLE/DAY.HASH.parquet              rows of a table, without copies
//	landing/v1/MACHINE/beside/TABLE/DAY.HASH.parquet       copies, and internal tables: what only a pull needs
//	landing/v1/MACHINE/forgotten.json                      a tombstone
//
// DAY is the day, in UTC, of the rows' own time, such as 2026-11-21, or
// "undated" for rows without one. HASH tells the rows and their schema, so that a
// name is never written with other rows. A file that no manifest names counts for
// nothing. Readers take a machine's manifest, and the files that it names, or
// keep what they had.
//
// In: the URL of a target. Out: its manifests, and files by name. The package
// opens no database; it knows no table by name.
package landing

import (
	"fmt"
	"path"
	"regexp"
)

// Root is the folder below a target in which everything lies.
const Root = "landing/v1"

// The names of files beside those of rows.
const (
	ManifestName  = "manifest.json"
	TombstoneName = "forgotten.json"
	CommitterName = "committer.json" // in Root: who commits deletes what is superseded
)

// The namespaces of the tables that a company's committer makes of a landing: of
// views in which each row stands once, and, with Copies at the end, of all rows.
// It is a name beside the other, not a namespace within it: Trino wants a switch
// for those, ClickHouse and DuckDB can't name them, and Spark quotes them.
const (
	Namespace = "hindsql"
	Copies    = "_with_copies"
)

// Undated is the day of rows that have no time of their own.
const Undated = "undated"

// machineForm is that of machine ids, which are names of folders.
var machineForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// Prefix is the folder of a machine. The error is that of an id which is no name
// of a folder.
func Prefix(machine string) (string, error) {
	if !machineForm.MatchString(machine) {
		return "", fmt.Errorf("machine %q: no id of a machine; letters, digits, dots, hyphens", machine)
	}
	return Root + "/" + machine, nil
}

// FileName is the path of a file of rows below its machine's prefix. Hash is in
// hexadecimal digits.
func FileName(table string, beside bool, day, hash string) string {
	name := path.Join(table, day+"."+hash+".parquet")
	if beside {
		name = path.Join("beside", name)
	}
	return name
}

// fileForm is that of the paths that FileName gives.
var fileForm = regexp.MustCompile(`^(beside/)?([a-z][a-z0-9_]*)/(\d{4}-\d{2}-\d{2}|` + Undated + `)\.([0-9a-f]{8,64})\.parquet$`)

// IsFile says whether a path below a machine's prefix is one that FileName gives.
func IsFile(name string) bool { return fileForm.MatchString(name) }
