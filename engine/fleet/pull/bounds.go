package pull

import (
	"fmt"
	"math"

	"hindsql/engine/fleet/landing"
)

// Bounds are the most that a pull takes of another machine. A file has to hold the
// rows and bytes that the manifest names besides.
type Bounds struct {
	FileRows, MachineRows         int64
	FileBytes, MachineBytes       int64 // as they lie in the landing
	FileUnpacked, MachineUnpacked int64 // bytes of rows; of a machine, in one pull
}

// Usual are the bounds of a pull that names no others. A gigabyte of logs gives
// 500,000 rows, in files of 100 MB.
var Usual = Bounds{FileRows: 2e6, MachineRows: 20e6, FileBytes: 256e6, MachineBytes: 4e9, FileUnpacked: 256e6, MachineUnpacked: 32e9}

// Unbounded takes all rows and bytes that a manifest names.
var Unbounded = Bounds{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}

// The rows of a file may have this many times its bytes, and so many bytes in any
// case. Each row has ids, and ids hardly compress: 30 times
// is a lot for a file of a push.
const (
	mostUnpacked  = 200
	smallUnpacked = 32e6
)

// unpacked is how many bytes the rows of a file may have.
func (b Bounds) unpacked(file int64) int64 {
	if b == Unbounded {
		return b.FileUnpacked
	}
	return min(b.FileUnpacked, max(smallUnpacked, min(file, b.FileBytes)*mostUnpacked))
}

// manifest sees that what a manifest names is in bounds, before a file is opened.
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

// over is the error of a file, or of all files of a machine.
func over(what string, n int64, unit string, most int64) error {
	return fmt.Errorf("%s: %d %s; a pull takes %d; hindsql pull --large takes more, of machines that you trust", what, n, unit, most)
}
