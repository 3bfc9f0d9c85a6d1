package load

import (
	"slices"
	"time"

	"hindsql/engine/load/moves"
	"hindsql/readers"
	"hindsql/tables"
)

// foundLog is a log on the disk, or a part of a log.
type foundLog struct {
	reader  *readers.Reader
	log     readers.Log
	source  tables.Source
	id      int64
	near    []tables.Neighbour // files that the list of parts depends on, as before the listing
	err     error              // why the list of parts failed; nil if it didn't
	shorter bool               // was longer when the same reader read it
	known   bool               // marked as unread in the store, and unchanged since
	dog     *readers.Watchdog  // reads it, with a time limit
	guard   *forgottenFilter   // leaves forgotten sessions out; nil if none is forgotten
}

// storedLog is the store's record of a log.
type storedLog struct {
	id            int64
	agent         string
	machine       string
	path, part    string
	stamp         string
	size          int64
	modifiedAt    int64 // microseconds since 1970
	readerVersion int64
	gone          bool
	unread        bool // the last sync could not read it
	failed        bool // reading failed; an unread log that did not fail has whole rows, and an unresponsive disk
	forgotten     bool // all of its sessions are forgotten, see forgotten_logs
	neighbours    []tables.Neighbour
	renamed       bool // moved, and the rows may depend on the new path
	unpacked      bool // compressed, and no longer found, because the uncompressed log lies beside it
}

// plan is what a sync has to do.
type plan struct {
	found        int
	bytes        int64             // of all found logs
	dog          *readers.Watchdog // that the search used
	all          []foundLog        // every log that the search found
	load         []foundLog        // new or changed, in the order found
	gone         []int64           // in the store, and no longer on the disk
	back         []int64           // once gone, back unchanged
	dropped      []int64           // without rows of their own, and no longer found
	unresponsive []int64           // on an unresponsive device, since this sync
	responsive   []int64           // unchanged, on a device that answers again
	touched      []foundLog        // changed, and all of their rows are their parts'
	moved        []moves.Move      // at another path than in the store; they may also be in load
	odd          int               // found paths that can't be logs
	unlinked     bool              // a sync was cut off between loading and linking
	unchanged    int
	kept         int64  // bytes of the store's logs that the search didn't find
	byFile       bool   // DuckDB refused rows when all were one transaction
	files        string // fingerprint of the found logs
	listed       string // digest of the list of forgotten sessions
}

// work is how much a plan has to do.
type work int

const (
	noWork work = iota
	workOnSome
	workOnMost // most logs are loaded, see loadsMost
)

func (p *plan) work() work {
	switch {
	case len(p.load) == 0 && !p.marks() && len(p.touched) == 0 && !p.unlinked && !p.hasNewlyUnresponsive():
		return noWork
	case p.loadsMost():
		return workOnMost
	}
	return workOnSome
}

// marks reports whether the sync has to record anything about files that aren't loaded.
func (p *plan) marks() bool {
	return len(p.gone)+len(p.back)+len(p.dropped)+len(p.unresponsive)+len(p.responsive)+len(p.moved) > 0
}

// makePlan compares the disk with the store. If the search missed a file that the store
// knows, the file is gone only if its path doesn't exist: the file may lie below a root
// that this search left out. A part is gone if the search found its file without the
// part. Files of other machines are never gone.
func makePlan(onDisk []foundLog, inStore []storedLog, machine string, disk diskState) plan {
	p := plan{all: onDisk, found: len(onDisk), odd: countOdd(onDisk)}
	if len(inStore) == 0 {
		p.load, p.bytes = onDisk, bytesOf(onDisk) // not twice in memory
		return p
	}
	files := map[partsOf]bool{}
	known := make(map[int64]*storedLog, len(inStore))
	for i := range inStore {
		known[inStore[i].id] = &inStore[i]
	}
	for _, f := range onDisk {
		p.bytes += f.bytes()
		files[partsOf{f.source.Agent, f.source.Path}] = true
		l := known[f.id]
		delete(known, f.id)
		if l != nil && l.machine != machine { // another machine pushed rows under this id: the log's own rows replace them
			l = nil
		}
		switch {
		case l != nil && disk.unresponsive(&f):
			p.addUnresponsive(l)
			p.unchanged++
		case l != nil && l.wasUnresponsive() && f.log.Err == nil && !l.changed(&f.source) && !l.neighbourChanged(disk):
			p.responsive = append(p.responsive, f.id)
			p.unchanged++
		case l != nil && l.unread && !l.wasUnresponsive() && !disk.opens(&f):
			p.unchanged++
		case l != nil && l.isInParts(&f) && (l.changed(&f.source) || l.neighbourChanged(disk)):
			p.touched = append(p.touched, f)
			p.unchanged++
		case l == nil || l.unread || f.log.Err != nil || l.changed(&f.source) || l.neighbourChanged(disk):
			f.known = l != nil && l.unread && !l.changed(&f.source)
			p.load = append(p.load, f)
		case l.gone:
			p.back = append(p.back, f.id)
			p.unchanged++
		default:
			p.unchanged++
		}
	}
	for i := range inStore {
		l := &inStore[i]
		if known[l.id] == nil {
			continue // found
		}
		p.kept += l.size
		switch {
		case l.machine != machine:
		case disk.mayHide(l.path):
			p.addUnresponsive(l)
		case l.neverRead(), l.unpacked:
			p.dropped = append(p.dropped, l.id)
		case !l.gone && (l.part != "" && files[partsOf{l.agent, l.path}] || !disk.exists(l.path)):
			p.gone = append(p.gone, l.id)
		}
	}
	return p
}

// leastAnew is the least size, in bytes, of logs to load for which a sync makes the
// store anew: four load units. A store of 211 MB whose machine id changed took 10.1 s of
// cpu file by file, and 4.8 anew.
const leastAnew = 32 << 20

// loadsMost reports whether the plan loads three quarters of the found logs' bytes, and a
// third of what the store will hold. It does after a change of the machine's id or of a
// reader. Replacing all those rows file by file takes longer than a new store.
func (p *plan) loadsMost() bool {
	load := bytesOf(p.load)
	return load >= leastAnew && load >= p.bytes/4*3 && load >= p.kept/2
}

func (l *storedLog) changed(now *tables.Source) bool {
	return l.renamed || l.stamp != now.Stamp || l.readerVersion != int64(now.ReaderVersion) ||
		l.part == "" && (l.size != now.Size || l.modifiedAt != now.ModifiedAt.UnixMicro())
}

// isInParts reports whether a log has no rows but those of its parts, which are loaded by
// themselves.
func (l *storedLog) isInParts(f *foundLog) bool {
	return f.reader != nil && f.reader.PartsOnly && l.part == "" && !l.unread && !l.gone && f.err == nil && f.log.Err == nil &&
		f.source.Stamp != "" && l.readerVersion == int64(f.source.ReaderVersion)
}

// Values of reader_version for a source that was never read. versionOfNone marks a path
// that stands in a log's place but isn't a log; versionOfUnresponsive marks a log on an
// unresponsive device.
const (
	versionOfNone         = 0
	versionOfUnresponsive = -1
)

// neverRead reports whether the store has no rows of the source, or only forgotten ones.
func (l *storedLog) neverRead() bool {
	return l.forgotten || l.unread && l.readerVersion <= versionOfNone
}

// wasUnresponsive reports whether the log's disk was unresponsive. The store's rows are then
// complete for the recorded state of the log.
func (l *storedLog) wasUnresponsive() bool { return l.unread && !l.failed && !l.gone }

// addUnresponsive adds a known log on an unresponsive disk.
func (p *plan) addUnresponsive(l *storedLog) {
	if !l.unread && !l.gone && !l.forgotten {
		p.unresponsive = append(p.unresponsive, l.id)
	}
}

// diskState holds the functions by which a plan inspects the disk.
type diskState struct {
	// opens reports whether the beginning of a log that was unread can be read now.
	opens  func(f *foundLog) bool
	exists func(path string) bool
	// unresponsive reports whether a found log lies on a device that gives no answer. mayHide
	// reports whether an unresponsive device may have kept the search from finding path.
	unresponsive func(f *foundLog) bool
	mayHide      func(path string) bool
	// look returns the state of a neighbour file. known is false if the disk doesn't
	// tell.
	look func(path string) (now tables.Neighbour, known bool)
}

// find searches for the logs of every reader. The warnings name folders that
// could not be listed.
func find(c Config, dog *readers.Watchdog, now time.Time) (logs []foundLog, warnings []error) {
	for _, r := range c.Readers {
		list, odd, err := dog.Search(r, r.Places(c.Host, c.Roots[r.Agent]))
		if err != nil {
			warnings = append(warnings, err)
		}
		list = append(list, odd...)
		logs = slices.Grow(logs, len(list))
		for _, log := range list {
			src := tables.Source{
				Agent:         r.Agent,
				Path:          log.Path,
				Machine:       c.Machine,
				User:          c.User,
				Host:          c.Hostname,
				Size:          log.Size,
				ModifiedAt:    log.ModifiedAt,
				LoadedAt:      now,
				ReaderVersion: r.Version,
			}
			if log.Err != nil {
				src.ReaderVersion = versionOfNone
			}
			logs = append(logs, foundLog{reader: r, log: log, source: src, id: src.ID(), dog: dog})
		}
	}
	return logs, warnings
}
