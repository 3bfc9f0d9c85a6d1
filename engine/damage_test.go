package engine_test

import (
	"bytes"
	"context"
	little "encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/engine"
	"hindsql/internal/whole"
)

// damagedHome returns a home with a store to be damaged. The store has the rows of a
// present log and of a deleted log.
func damagedHome(t *testing.T) *home {
	t.Helper()
	h := newHome(t)
	h.Write("there.jsonl", line(1, `,"call":"c"`), line(2, ""))
	h.Write("gone.jsonl", line(3, `,"call":"d"`), line(4, ""))
	h.Sync()
	h.Remove("gone.jsonl")
	h.Sync()
	return h
}

// TestDamagedStore damages one block after the other. A full sync sets the store aside,
// always has the rows of the present log, reports how much of the deleted log it saved,
// and leaves a normal store.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	const block, headers = 262144, 12288
	h := damagedHome(t)
	sound, err := os.ReadFile(h.Store)
	must(t, err)
	blocks := (len(sound) - headers) / block
	step := whole.Or(2, 8)
	found, intact := 0, 0
	for i := -3; i < blocks; i += step {
		text := bytes.Clone(sound)
		at := headers + i*block + 1000
		if i < 0 {
			at = headers + i*4096 + 20
		}
		if at >= len(text) {
			break
		}
		text[at] ^= 0x55
		must(t, os.WriteFile(h.Store, text, 0o600))
		report := h.SyncWith(true)
		h.Want("SELECT text FROM messages WHERE text < 'text 3' ORDER BY 1", "text 1", "text 2")
		if again := h.Sync(); again.Loaded > 0 || again.Salvage != nil {
			t.Errorf("block %d: the next sync: %+v", i, again)
		}
		asides, err := filepath.Glob(h.Store + ".damaged-*Z")
		must(t, err)
		switch s := report.Salvage; {
		case s == nil && len(asides) > 0, s != nil && (len(asides) != 1 || asides[0] != s.Aside):
			t.Errorf("block %d: %v lies aside, and %+v was reported", i, asides, s)
		case s == nil || s.Err != nil:
			found += len(asides)
		default:
			found++
			if left := len(h.Rows("FROM with_copies.messages WHERE text IN ('text 3', 'text 4')")); left == 2 {
				intact++
			} else if len(s.Lost)+len(s.Holes) == 0 {
				t.Errorf("block %d: %d of 2 rows are there, and nothing was reported as lost: %+v", i, left, s)
			}
		}
		for _, aside := range asides {
			must(t, os.Remove(aside))
		}
	}
	t.Logf("%d blocks: %d damages met, %d with all rows saved", blocks, found, intact)
	if intact == 0 {
		t.Error("nothing was ever saved")
	}
}

// TestDamagedStoreIsAnError: a plain sync and a query report the damage, and leave the
// file unchanged.
func TestDamagedStoreIsAnError(t *testing.T) {
	t.Parallel()
	h := damagedHome(t)
	text, err := os.ReadFile(h.Store)
	must(t, err)
	must(t, os.WriteFile(h.Store, text[:len(text)*3/8], 0o600))
	s := h.Open()
	_, syncErr := s.Sync(context.Background(), engine.SyncOptions{})
	_, queryErr := tryRows(s, "FROM messages", nil)
	for _, err := range []error{syncErr, queryErr} {
		if !errors.As(err, new(*engine.Damaged)) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v", err)
		}
	}
	after, err := os.ReadFile(h.Store)
	must(t, err)
	if len(after) != len(text)*3/8 {
		t.Error("the file was changed")
	}
}

// TestDamagedHead: a file whose head is not a store's counts as damaged if the lock
// says that hindsql wrote the file. The log beside the file is set aside, too.
func TestDamagedHead(t *testing.T) {
	whole.Test(t, "loads several stores, 0.9 s of processor time")
	t.Parallel()
	h := damagedHome(t)
	must(t, os.WriteFile(h.Store, make([]byte, 5000), 0o600))
	must(t, os.WriteFile(h.Store+".wal", []byte("nothing"), 0o600))
	report := h.SyncWith(true)
	if report.Salvage == nil || report.Salvage.Err == nil {
		t.Fatalf("report %+v", report)
	}
	if _, err := os.Stat(report.Salvage.Aside + ".wal"); err != nil {
		t.Error(err)
	}
	h.LikeClean()
}

// TestNewerStore: the file of a newer DuckDB isn't called damaged. A full sync sets the
// file aside unchanged.
func TestNewerStore(t *testing.T) {
	whole.Test(t, "loads several stores, 0.9 s of processor time")
	t.Parallel()
	h := damagedHome(t)
	newer, err := os.ReadFile(h.Store)
	must(t, err)
	little.LittleEndian.PutUint64(newer[12:], 999)
	little.LittleEndian.PutUint64(newer, duckdbSum(newer[8:4096]))
	must(t, os.WriteFile(h.Store, newer, 0o600))
	_, err = tryRows(h.Open(), "FROM messages", nil)
	if damaged := (*engine.Damaged)(nil); !errors.As(err, &damaged) || !damaged.IsNewer() || strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
	report := h.SyncWith(true)
	if aside, err := os.ReadFile(report.Salvage.Aside); err != nil || !bytes.Equal(aside, newer) {
		t.Errorf("%v, or another file", err)
	}
	h.LikeClean()
}

// duckdbSum is DuckDB's checksum of bytes whose number is a multiple of eight, see
// duckdb/duckdb, src/common/checksum.cpp.
func duckdbSum(text []byte) uint64 {
	sum := uint64(5381)
	for ; len(text) > 0; text = text[8:] {
		sum ^= little.LittleEndian.Uint64(text) * 0xbf58476d1ce4e5b9
	}
	return sum
}
