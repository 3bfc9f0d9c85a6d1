package pull

import (
	"context"
	"fmt"
	"math"
	"strings"

	"hindsql/engine/fleet/landing"
	"hindsql/internal/pattern"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Bounds limit the rows and bytes that a pull takes from another machine. Besides, a
// file must match the rows and bytes in the manifest.
type Bounds struct {
	FileRows, MachineRows         int64
	FileBytes, MachineBytes       int64 // as stored in the landing
	FileUnpacked, MachineUnpacked int64 // bytes of unpacked rows; for a machine, in one pull
}

// DefaultBounds are the default bounds of a pull. A gigabyte of logs makes 500,000
// rows, in files of 100 MB.
var DefaultBounds = Bounds{FileRows: 2e6, MachineRows: 20e6, FileBytes: 256e6, MachineBytes: 4e9, FileUnpacked: 256e6, MachineUnpacked: 32e9}

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

// checkManifest checks that a manifest is within bounds, before any file is opened.
func (b Bounds) checkManifest(m *landing.Manifest) error {
	var rows, bytes int64
	for _, f := range m.Files {
		switch {
		case f.Rows > b.FileRows:
			return exceeded(f.Path, f.Rows, "rows", b.FileRows)
		case f.Bytes > b.FileBytes:
			return exceeded(f.Path, f.Bytes, "bytes", b.FileBytes)
		case f.Rows > b.MachineRows-rows:
			return exceeded("its files", rows+f.Rows, "rows", b.MachineRows)
		case f.Bytes > b.MachineBytes-bytes:
			return exceeded("its files", bytes+f.Bytes, "bytes", b.MachineBytes)
		}
		rows, bytes = rows+f.Rows, bytes+f.Bytes
	}
	return nil
}

// exceeded returns the error for a file, or for all files of a machine.
func exceeded(what string, n int64, unit string, most int64) error {
	return fmt.Errorf("%s: %d %s; a pull takes %d; hindsql pull --large takes more, of machines that you trust", what, n, unit, most)
}

// checkFiles checks that each file has the manifest's number of rows, and not more bytes
// than the bounds allow. A file that fails isn't unpacked.
func (p *pulling) checkFiles(ctx context.Context, files fetched) error {
	left := p.Bounds.MachineUnpacked
	for _, t := range pushed() {
		for _, f := range files[t.Name] {
			has, err := readLayout(f.path)
			if err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
			most, n := p.Bounds.unpacked(f.Bytes), has.unpacked
			if has.rows != f.Rows {
				return fmt.Errorf("%s: %d rows, and the manifest says %d", f.Path, has.rows, f.Rows)
			}
			if n <= most && has.repeated > most {
				if n, err = p.textBytes(ctx, t, f); err != nil {
					return fmt.Errorf("%s: %w", f.Path, err)
				}
			}
			if n > most {
				return exceeded(f.Path, n, "bytes unpacked", most)
			}
			if left -= n; left < 0 {
				return exceeded("its files", p.Bounds.MachineUnpacked-left, "bytes unpacked", p.Bounds.MachineUnpacked)
			}
		}
	}
	return nil
}

// textBytes returns how many bytes of text a file with dictionaries holds. A kilobyte of
// dictionary may stand for gigabytes. DuckDB only sums the lengths and stores no text.
func (p *pulling) textBytes(ctx context.Context, t *tables.Table, f local) (bytes int64, err error) {
	var sizes []string
	err = p.eachColumn(ctx, []local{f}, func(name, kind string) {
		if size := sizeOf(t, name, kind); size != "" {
			sizes = append(sizes, "coalesce("+size+", 0)")
		}
	})
	if err != nil || len(sizes) == 0 {
		return 0, err
	}
	query := fmt.Sprintf("SELECT coalesce(least(sum(%s), %d), 0)::BIGINT FROM %s", strings.Join(sizes, " + "), int64(math.MaxInt64/2), scan([]local{f}))
	return bytes, p.st.Each(ctx, query, func(scan func(...any) error) error { return scan(&bytes) })
}

// sizeOf returns the SQL of a column's bytes in a row. It is empty if the pull ignores
// the column, or if values are short.
func sizeOf(t *tables.Table, name, kind string) string {
	if !t.Has(name) {
		return ""
	}
	column := sqltext.Identifier(name)
	switch {
	case kind == "VARCHAR" || kind == "JSON":
		return "strlen(" + column + ")"
	case kind == "BLOB":
		return "octet_length(" + column + ")"
	case kind == "VARCHAR[]":
		return "list_sum(list_transform(" + column + ", lambda v: strlen(v)))"
	case kind == tables.AnswersType:
		const answer = `coalesce(strlen(v.question), 0) + coalesce(strlen(v.words), 0)
			+ coalesce(list_sum(list_transform(v."options" || v.picked, lambda w: strlen(w))), 0)`
		return "list_sum(list_transform(" + column + ", lambda v: " + answer + "))"
	case strings.HasSuffix(kind, "[]") && isRead(kind):
		return "16 * len(" + column + ")"
	}
	return ""
}

var readKind = pattern.Lazy(`^(VARCHAR|(BOOLEAN|FLOAT|DOUBLE|U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|DECIMAL\(\d+,\d+\)|DATE|TIME[A-Z_ ]*|INTERVAL|UUID))(\[\])?$|^(JSON|BLOB)$`)

// isRead reports whether a pull reads columns of a type. No table has other types, with
// a size that is harder to compute.
func isRead(kind string) bool { return kind == tables.AnswersType || readKind.MatchString(kind) }
