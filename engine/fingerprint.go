package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"hindsql/internal/sqltext"
	"hindsql/readers"
	"hindsql/tables"
)

// A store remembers the fingerprint of the files that it was last brought up to
// date with, where it holds no other files of this machine. A sync that finds
// the same files, and their neighbours as they were, has nothing to do, and need
// not read what the store knows of each.

// fingerprint tells what a search found, in its order, from anything else. It
// covers all that a file of its own is known by, but for its neighbours. 16
// hexadecimal digits.
func fingerprint(logs []found) string {
	var text []byte
	for i := range logs {
		s := &logs[i].source
		for _, n := range []int64{logs[i].id, s.Size, s.ModifiedAt.UnixMicro(), int64(s.ReaderVersion)} {
			text = binary.LittleEndian.AppendUint64(text, uint64(n))
		}
		if logs[i].log.Err != nil {
			text = append(text, 1)
		}
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// remembered is what a store says of the files that it was last brought up to
// date with.
type remembered struct {
	files string // their fingerprint; empty for none
	found int    // how many they were, with their parts

	prices string // what the list of prices is known by that costs are estimated by; empty for none
}

// remembers reads what the attached store says, and whether a sync was cut off.
func (l *ledger) remembers(ctx context.Context) (r remembered, unlinked bool, err error) {
	err = l.in.db.QueryRowContext(ctx, "SELECT coalesce(files, ''), found, coalesce(prices, ''), EXISTS (FROM "+StoreSchema+".pending_links) FROM "+StoreSchema+".store_info").
		Scan(&r.files, &r.found, &r.prices, &unlinked)
	return r, unlinked, err
}

// linkAll links after all of a plan was done, and notes in the store what files
// it is up to date with, unless it holds others of this machine, or some that
// could not be read: those are tried again, though nothing changed.
func (k *linker) linkAll(ctx context.Context, p plan, machine string) error {
	if err := k.link(ctx); err != nil {
		return err
	}
	return k.l.exec(ctx, fmt.Sprintf(`UPDATE store_info SET files = %s, found = %d WHERE (SELECT count(*) FROM sources WHERE %s) = %d
		AND NOT EXISTS (FROM sources WHERE %[3]s AND unread_since IS NOT NULL AND reader_version <> 0)`,
		sqltext.Literal(p.files), p.found-p.odd, areHere(machine), p.found))
}

// areHere is the condition for sources whose files lie on this machine.
func areHere(machine string) string {
	return "gone_at IS NULL AND coalesce(machine, '') = " + sqltext.Literal(machine)
}

// forgetFiles notes that the store is not as it was any more.
func (l *loader) forgetFiles(ctx context.Context) error {
	return l.exec(ctx, "UPDATE store_info SET files = NULL WHERE files IS NOT NULL")
}

// neighboursAreAsBefore looks at all neighbours of the logs that are there.
func (l *ledger) neighboursAreAsBefore(ctx context.Context, dog *readers.Watchdog, machine string) (bool, error) {
	all := loaded{machine: machine}
	query := neighbourQuery("DISTINCT 0") + " WHERE source_id IN (SELECT source_id FROM " + StoreSchema + ".sources WHERE " + areHere(machine) + ")"
	err := l.eachNeighbour(ctx, query, func(_ int64, n tables.Neighbour) { all.neighbours = append(all.neighbours, n) })
	return err == nil && !all.neighbourChanged(thisDisk(dog, []loaded{all}, machine)), err
}
