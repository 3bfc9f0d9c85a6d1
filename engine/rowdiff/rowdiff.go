// Package rowdiff finds the rows in which the stored rows of a log differ from the rows
// of its last reading.
package rowdiff

import "github.com/apache/arrow-go/v18/arrow"

// Row is a row's hash, and its rowid if the row is stored.
type Row struct {
	Hash uint64
	ID   int64
}

// Diff returns the rowids of stored rows that aren't among the given rows, and
// the places of given rows that aren't stored. Of equal rows each counts.
func Diff(stored, given []Row) (gone []int64, added []int) {
	rows := make(map[uint64][]int64, len(stored))
	for _, s := range stored {
		rows[s.Hash] = append(rows[s.Hash], s.ID)
	}
	for i, g := range given {
		if same := rows[g.Hash]; len(same) > 0 {
			rows[g.Hash] = same[1:]
		} else {
			added = append(added, i)
		}
	}
	for _, s := range stored {
		if left := rows[s.Hash]; len(left) > 0 {
			gone = append(gone, left[0])
			rows[s.Hash] = left[1:]
		}
	}
	return gone, added
}

// SelectRows returns the rows at some places, in order, as slices of the records. The
// caller releases the slices.
func SelectRows(records []arrow.RecordBatch, places []int) (list []arrow.RecordBatch) {
	first := 0 // place of the record's first row
	for _, r := range records {
		end := first + int(r.NumRows())
		for len(places) > 0 && places[0] < end {
			n := 1
			for n < len(places) && places[n] == places[0]+n && places[n] < end {
				n++
			}
			from := int64(places[0] - first)
			list, places = append(list, r.NewSlice(from, from+int64(n))), places[n:]
		}
		first = end
	}
	return list
}

// Release releases the records.
func Release(records []arrow.RecordBatch) {
	for _, r := range records {
		r.Release()
	}
}

// CountRows returns the number of rows in the records.
func CountRows(records []arrow.RecordBatch) (n int64) {
	for _, r := range records {
		n += r.NumRows()
	}
	return n
}
