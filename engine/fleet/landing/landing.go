// Package landing defines the layout of pushed rows at a target. Each machine has a
// prefix with files of rows and a manifest that names the live files.
//
//	landing/v1/MACHINE/manifest.json                       the live files, written last
//	landing/v1/MACHINE/TABLE/DAY.HASH.parquet              rows of a table, without copies
//	landing/v1/MACHINE/beside/TABLE/DAY.HASH.parquet       copies, and internal tables, needed only by a pull
//	landing/v1/MACHINE/forgotten.json                      a tombstone
//
// DAY is the UTC day of the rows' own time, such as 2026-11-21, or "undated" for rows
// without a time. HASH depends on the rows and their schema, so two different contents
// never share a name. Files that no manifest names are ignored. Readers take a
// machine's manifest and all files named in it, or keep the rows of their last read.
//
// In: the URL of a target. Out: its manifests, and files by name. The package opens no
// database and knows no table by name.
package landing

import (
	"fmt"
	"path"

	"hindsql/internal/pattern"
)

// Root is the top folder of the landing below a target.
const Root = "landing/v1"

// The names of files besides files of rows.
const (
	ManifestName  = "manifest.json"
	TombstoneName = "forgotten.json"
	CommitterName = "committer.json" // in Root; exists if a committer (a program such as hindsql-lake) deletes superseded files
)

// A committer makes a company's Iceberg tables from a landing. Namespace has views in
// which each row occurs once. Namespace with the suffix Copies has all rows. Both names
// are on the same level, because nested namespaces need a switch in Trino and quotes in
// Spark, and ClickHouse and DuckDB can't name them.
const (
	Namespace = "hindsql"
	Copies    = "_with_copies"
)

// Undated is the day of rows without a time of their own.
const Undated = "undated"

// machineForm matches machine ids, which serve as folder names.
var machineForm = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// Prefix returns a machine's folder. It returns an error if the id can't be a folder
// name.
func Prefix(machine string) (string, error) {
	if !machineForm.MatchString(machine) {
		return "", fmt.Errorf("machine %q: no id of a machine; letters, digits, dots, hyphens", machine)
	}
	return Root + "/" + machine, nil
}

// FileName returns the path of a file of rows below its machine's prefix. hash is in
// hexadecimal digits.
func FileName(table string, beside bool, day, hash string) string {
	name := path.Join(table, day+"."+hash+".parquet")
	if beside {
		name = path.Join("beside", name)
	}
	return name
}

// fileForm matches the paths that FileName returns.
var fileForm = pattern.Lazy(`^(beside/)?([a-z][a-z0-9_]*)/(\d{4}-\d{2}-\d{2}|` + Undated + `)\.([0-9a-f]{8,64})\.parquet$`)

// IsFile reports whether FileName could return the path, below a machine's prefix.
func IsFile(name string) bool { return fileForm.MatchString(name) }
