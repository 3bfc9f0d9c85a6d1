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

// A store remembers a fingerprint of the logs that its last sync found. If the next
// sync finds logs with the same fingerprint, and the files that the logs were read with
// (neighbours) are unchanged, the sync has no work. It then need not read the store's
// record of each log. The store remembers no fingerprint if it holds more logs of this
// machine than the sync found.

// fingerprint hashes the logs of a search, in their order. The hash covers all
// properties that a plan compares, except neighbours. The result has 16 hexadecimal
// digits.
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

// remembered is the store's note of the files of its last sync.
type remembered struct {
	files string // fingerprint of the files; empty for none
	found int    // number of the files, with their parts

	prices    string // identity of the price list for estimated costs; empty for none
	forgotten string // digest of the list of forgotten sessions; empty for none
}

// remembers reads the note of the attached store, and whether the last sync ended before
// its link steps. It returns the store's schema hash. A store of another build may lack
// a column, which is an error.
func (l *ledger) remembers(ctx context.Context, s *state) (hash string, err error) {
	query := "SELECT schema_hash, coalesce(files, ''), found, coalesce(prices, ''), coalesce(forgotten, ''), EXISTS (FROM " + StoreSchema + ".pending_links) FROM " + StoreSchema + ".store_info"
	err = l.in.db.QueryRowContext(ctx, query).Scan(&hash, &s.last.files, &s.last.found, &s.last.prices, &s.last.forgotten, &s.unlinked)
	return hash, err
}

// linkAll runs the link steps after a plan's work is done. It then notes the
// fingerprint of the found files in the store. It notes nothing if the store holds more
// files of this machine, because they were not found. It notes nothing if the store has
// unread files, either: the next sync must try them again, though no file changed.
func (k *linker) linkAll(ctx context.Context, p plan, machine string) error {
	if err := k.linkApart(ctx); err != nil {
		return err
	}
	return k.l.exec(ctx, fmt.Sprintf(`UPDATE store_info SET files = %s, found = %d
		WHERE (SELECT count(*) FROM sources WHERE %s) + (SELECT count(*) FROM forgotten_logs WHERE path IS NOT NULL) = %d
		AND NOT EXISTS (FROM sources WHERE %[3]s AND unread_since IS NOT NULL AND reader_version <> 0)`,
		sqltext.Literal(p.files), p.found-p.odd, areHere(machine), p.found))
}

// areHere is the SQL condition for sources whose files lie on this machine.
func areHere(machine string) string {
	return "gone_at IS NULL AND coalesce(machine, '') = " + sqltext.Literal(machine)
}

// forgetFiles deletes the fingerprint from the store, because rows change.
func (l *loader) forgetFiles(ctx context.Context) error {
	return l.exec(ctx, "UPDATE store_info SET files = NULL WHERE files IS NOT NULL")
}

// neighboursAreAsBefore reports whether all neighbours of present logs are unchanged.
func (l *ledger) neighboursAreAsBefore(ctx context.Context, dog *readers.Watchdog, machine string) (bool, error) {
	all := loaded{machine: machine}
	query := neighbourQuery("DISTINCT 0") + " WHERE source_id IN (SELECT source_id FROM " + StoreSchema + ".sources WHERE " + areHere(machine) + ")"
	err := l.eachNeighbour(ctx, query, func(_ int64, n tables.Neighbour) { all.neighbours = append(all.neighbours, n) })
	return err == nil && !all.neighbourChanged(thisDisk(dog, []loaded{all}, machine)), err
}
