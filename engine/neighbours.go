package engine

import (
	"context"
	"slices"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// Values of neighbourQuery in place of a size that the store doesn't know.
const (
	wasAbsent = -1
	wasThere  = -2 // the file existed, and the reader asked for no more
)

// addNeighbours adds to each log the files that the log was read with. Neighbours may
// be as many as logs, so the query has as few columns as possible.
func (l *ledger) addNeighbours(ctx context.Context, logs []loaded) error {
	byID := byID(logs)
	return l.eachNeighbour(ctx, neighbourQuery("source_id"), func(id int64, n tables.Neighbour) {
		if l := byID[id]; l != nil {
			l.neighbours = append(l.neighbours, n)
		}
	})
}

// neighbourQuery selects an id, and the columns that eachNeighbour reads.
func neighbourQuery(id string) string {
	return "SELECT " + id + ", path, coalesce(size, if(existed, -2, -1)), coalesce(epoch_us(modified_at), 0) FROM " + StoreSchema + ".neighbours"
}

func (l *ledger) eachNeighbour(ctx context.Context, query string, visit func(id int64, n tables.Neighbour)) error {
	return l.in.each(ctx, query, func(scan func(...any) error) error {
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

// thisDisk looks at each neighbour of the present logs once, however many logs have the
// neighbour.
func thisDisk(dog *readers.Watchdog, inStore []loaded, machine string) looks {
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
	now := dog.LookAll(paths)
	return looks{
		opens:  (*found).opens,
		exists: dog.Exists,
		silent: func(f *found) bool { return f.log.Err == nil && dog.At(f.log.Root, f.log.Path) != nil },
		hides:  dog.Hides,
		look: func(path string) (tables.Neighbour, bool) {
			i, ok := seen[path]
			if !ok {
				i, now = len(now), append(now, dog.LookAll([]string{path})...)
			}
			return now[i].Neighbour, now[i].Known
		},
	}
}

// neighbourChanged reports whether a file that the log was read with changed, came or
// went.
func (l *loaded) neighbourChanged(disk looks) bool {
	return slices.ContainsFunc(l.neighbours, func(was tables.Neighbour) bool {
		now, known := disk.look(was.Path)
		return known && (was.Exists != now.Exists ||
			was.WasRead && was.Exists && (was.Size != now.Size || was.ModifiedAt.UnixMicro() != now.ModifiedAt.UnixMicro()))
	})
}
