package load

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"hindsql/engine/duck"
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
func fingerprint(logs []foundLog) string {
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

// lastFiles is the store's record of the files of its last sync.
type lastFiles struct {
	files string // fingerprint of the files; empty for none
	found int    // number of the files, with their parts

	prices    string // identity of the price list for estimated costs; empty for none
	forgotten string // digest of the list of forgotten sessions; empty for none
}

// readLastFiles reads the record of the attached store, and whether the last sync ended before
// its link steps. It returns the store's schema hash. A store of another build may lack
// a column, which is an error.
func (l *ledger) readLastFiles(ctx context.Context, s *state) (hash string, err error) {
	query := "SELECT schema_hash, coalesce(files, ''), found, coalesce(prices, ''), coalesce(forgotten, ''), EXISTS (FROM " + duck.StoreSchema + ".pending_links) FROM " + duck.StoreSchema + ".store_info"
	err = l.db.Row(ctx, query, &hash, &s.last.files, &s.last.found, &s.last.prices, &s.last.forgotten, &s.unlinked)
	return hash, err
}

// linkLoaded runs the link steps after a load of a number of the plan's files. If the load
// had all of them, linkLoaded then records the fingerprint of the found files in the store.
// It records no fingerprint if the store holds more files of this machine, because they
// were not found, or if the store has unread files: the next sync must try them again,
// though no file changed.
func (k *linker) linkLoaded(ctx context.Context, p *plan, files int) error {
	if err := cmp.Or(losses{k.l}.record(ctx), k.linkApart(ctx)); err != nil || files != len(p.load) {
		return err
	}
	return k.l.exec(ctx, fmt.Sprintf(`UPDATE store_info SET files = %s, found = %d
		WHERE (SELECT count(*) FROM sources WHERE %s) + (SELECT count(*) FROM forgotten_logs WHERE path IS NOT NULL) = %d
		AND NOT EXISTS (FROM sources WHERE %[3]s AND unread_since IS NOT NULL AND reader_version <> 0)`,
		sqltext.Literal(p.files), p.found-p.odd, areHere(k.l.config.Machine), p.found))
}

// areHere is the SQL condition for sources whose files lie on this machine.
func areHere(machine string) string {
	return "gone_at IS NULL AND coalesce(machine, '') = " + sqltext.Literal(machine)
}

// clearFingerprint deletes the fingerprint from the store, because rows change.
func (l *loader) clearFingerprint(ctx context.Context) error {
	return l.exec(ctx, "UPDATE store_info SET files = NULL WHERE files IS NOT NULL")
}

// neighboursAreAsBefore reports whether all neighbours of present logs are unchanged.
func (l *ledger) neighboursAreAsBefore(ctx context.Context, dog *readers.Watchdog, machine string) (bool, error) {
	all := storedLog{machine: machine}
	query := neighbourQuery("DISTINCT 0") + " WHERE source_id IN (SELECT source_id FROM " + duck.StoreSchema + ".sources WHERE " + areHere(machine) + ")"
	err := l.eachNeighbour(ctx, query, func(_ int64, n tables.Neighbour) { all.neighbours = append(all.neighbours, n) })
	return err == nil && !all.neighbourChanged(readDisk(dog, []storedLog{all}, machine)), err
}

// Values of neighbourQuery in place of a size that the store doesn't know.
const (
	wasAbsent = -1
	wasThere  = -2 // the file existed, and the reader asked for no more
)

// addNeighbours adds to each log the files that the log was read with. Neighbours may
// be as many as logs, so the query has as few columns as possible.
func (l *ledger) addNeighbours(ctx context.Context, logs []storedLog) error {
	byID := byID(logs)
	return l.eachNeighbour(ctx, neighbourQuery("source_id"), func(id int64, n tables.Neighbour) {
		if l := byID[id]; l != nil {
			l.neighbours = append(l.neighbours, n)
		}
	})
}

// neighbourQuery selects an id, and the columns that eachNeighbour reads.
func neighbourQuery(id string) string {
	return "SELECT " + id + ", path, coalesce(size, if(existed, -2, -1)), coalesce(epoch_us(modified_at), 0) FROM " + duck.StoreSchema + ".neighbours"
}

func (l *ledger) eachNeighbour(ctx context.Context, query string, visit func(id int64, n tables.Neighbour)) error {
	return l.db.Each(ctx, query, func(scan func(...any) error) error {
		var id, size, modifiedAt int64
		var n tables.Neighbour
		if err := scan(&id, &n.Path, &size, &modifiedAt); err != nil {
			return err
		}
		if n.Exists, n.WasRead = size != wasAbsent, size != wasThere; n.Exists && n.WasRead {
			n.Size, n.ModifiedAt = size, time.UnixMicro(modifiedAt)
		}
		visit(id, n)
		return nil
	})
}

// readDisk looks at each neighbour of the present logs once, however many logs have the
// neighbour.
func readDisk(dog *readers.Watchdog, inStore []storedLog, machine string) diskState {
	seen := map[string]int{}
	var paths []string
	for i := range inStore {
		if l := &inStore[i]; !l.gone && l.machine == machine {
			for _, n := range l.neighbours {
				if _, ok := seen[n.Path]; !ok {
					seen[n.Path] = len(paths)
					paths = append(paths, n.Path)
				}
			}
		}
	}
	now := dog.StatAll(paths)
	return diskState{
		opens:        (*foundLog).opens,
		exists:       dog.MayExist,
		unresponsive: func(f *foundLog) bool { return f.log.Err == nil && dog.CheckPath(f.log.Root, f.log.Path) != nil },
		mayHide:      dog.MayMissLogs,
		look: func(path string) (tables.Neighbour, bool) {
			i, ok := seen[path]
			if !ok {
				i, now = len(now), append(now, dog.StatAll([]string{path})...)
			}
			return now[i].Neighbour, now[i].Known
		},
	}
}

// neighbourChanged reports whether a file that the log was read with changed, came or
// went.
func (l *storedLog) neighbourChanged(disk diskState) bool {
	return slices.ContainsFunc(l.neighbours, func(was tables.Neighbour) bool {
		now, known := disk.look(was.Path)
		return known && (was.Exists != now.Exists ||
			was.WasRead && was.Exists && (was.Size != now.Size || was.ModifiedAt.UnixMicro() != now.ModifiedAt.UnixMicro()))
	})
}
