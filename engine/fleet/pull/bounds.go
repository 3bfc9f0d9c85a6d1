package pull

import (
	"fmt"
	"math"

	"hindsql/engine/fleet/landing"
)

// Bounds limit the rows and bytes that a pull takes from another machine. Besides, a
// file must match the rows and bytes in the manifest.
type Bounds struct {
	FileRows, MachineRows         int64
	FileBytes, MachineBytes       int64 // as stored in the landing
	FileUnpacked, MachineUnpacked int64 // bytes of unpacked rows; for a machine, in one pull
}

// Usual are the default bounds of a pull. A gigabyte of logs makes 500,000 rows, in
// files of 100 MB.
var Usual = Bounds{FileRows: 2e6, MachineRows: 20e6, FileBytes: 256e6, MachineBytes: 4e9, FileUnpacked: 256e6, MachineUnpacked: 32e9}

// Unbounded accepts all rows and bytes named in a manifest.
var Unbounded = Bounds{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}

// A file's unpacked rows may have mostUnpacked times the file's bytes, and always
// smallUnpacked bytes. Each row has ids, and ids hardly compress: 30 times is much for
// a pushed file.
const (
	mostUnpacked  = 200
	smallUnpacked = 32e6
)

// unpacked returns how many unpacked bytes a file may have.
func (b Bounds) unpacked(file int64) int64 {
	if b == Unbounded {
		return b.FileUnpacked
	}
	return min(b.FileUnpacked, max(smallUnpacked, min(file, b.FileBytes)*mostUnpacked))
}

// manifest checks that a manifest is within bounds, before any file is opened.
func (b Bounds) manifest(m *landing.Manifest) error {
	var rows, bytes int64
	for _, f := range m.Files {
		switch {
		case f.Rows > b.FileRows:
			return over(f.Path, f.Rows, "rows", b.FileRows)
		case f.Bytes > b.FileBytes:
			return over(f.Path, f.Bytes, "bytes", b.FileBytes)
		case f.Rows > b.MachineRows-rows:
			return over("its files", rows+f.Rows, "rows", b.MachineRows)
		case f.Bytes > b.MachineBytes-bytes:
			return over("its files", bytes+f.Bytes, "bytes", b.MachineBytes)
		}
		rows, bytes = rows+f.Rows, bytes+f.Bytes
	}
	return nil
}

// over returns the error for a file, or for all files of a machine.
func over(what string, n int64, unit string, most int64) error {
	return fmt.Errorf("%s: %d %s; a pull takes %d; hindsql pull --large takes more, of machines that you trust", what, n, unit, most)
}
