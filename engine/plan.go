package engine

import (
	"errors"
	"slices"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// found is a log on the disk, or a part of a log.
type found struct {
	reader *readers.Reader
	log    readers.Log
	source tables.Source
	id     int64
	near   []tables.Neighbour // files that the list of parts depends on, as before the listing
	err    error              // why the list of parts failed; nil if it didn't
	known  bool               // marked as unread in the store, and unchanged since
	dog    *readers.Watchdog  // reads it, with a time limit
	guard  *guard             // leaves forgotten sessions out; nil if none is forgotten
}

// loaded is the store's record of a log.
type loaded struct {
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
	failed        bool // reading failed; an unread log that did not fail has whole rows, and a silent disk
	forgotten     bool // all of its sessions are forgotten, see forgotten_logs
	neighbours    []tables.Neighbour
}

// plan is what a sync has to do.
type plan struct {
	found     int
	bytes     int64             // of all found logs
	dog       *readers.Watchdog // that the search used
	all       []found           // every log that the search found
	load      []found           // new or changed, in the order found
	gone      []int64           // in the store, and no longer on the disk
	back      []int64           // once gone, back unchanged
	dropped   []int64           // never read, and no longer found
	silent    []int64           // on a silent device, since this sync
	heard     []int64           // unchanged, on a device that answers again
	touched   []found           // changed, and all of their rows are their parts'
	odd       int               // found paths that can't be logs
	unlinked  bool              // a sync was cut off between loading and linking
	unchanged int
	kept      int64  // bytes of the store's logs that the search didn't find
	byFile    bool   // DuckDB refused rows when all were one transaction
	anew      bool   // the store is made anew, because most of its logs are loaded
	files     string // fingerprint of the found logs
	listed    string // digest of the list of forgotten sessions
}

func (p *plan) nothing() bool {
	return len(p.load) == 0 && !p.marks() && len(p.touched) == 0 && !p.unlinked && !p.fellSilent()
}

// marks reports whether the sync has to note anything about files that aren't loaded.
func (p *plan) marks() bool {
	return len(p.gone)+len(p.back)+len(p.dropped)+len(p.silent)+len(p.heard) > 0
}

// makePlan compares the disk with the store. If the search missed a file that the store
// knows, the file is gone only if its path doesn't exist: the file may lie below a root
// that this search left out. A part is gone if the search found its file without the
// part. Files of other machines are never gone.
func makePlan(onDisk []found, inStore []loaded, machine string, disk looks) plan {
	p := plan{all: onDisk, found: len(onDisk), odd: oddsIn(onDisk)}
	if len(inStore) == 0 {
		p.load, p.bytes = onDisk, bytesOf(onDisk) // not twice in memory
		return p
	}
	files := map[partsOf]bool{}
	known := make(map[int64]*loaded, len(inStore))
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
		case l != nil && disk.silent(&f):
			p.silence(l)
			p.unchanged++
		case l != nil && l.wasSilent() && f.log.Err == nil && !l.changed(&f.source) && !l.neighbourChanged(disk):
			p.heard = append(p.heard, f.id)
			p.unchanged++
		case l != nil && l.unread && !l.wasSilent() && !disk.opens(&f):
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
		if known[l.id] != nil {
			p.kept += l.size
		}
		if known[l.id] != nil && l.machine == machine && disk.hides(l.path) {
			p.silence(l)
			continue
		}
		if known[l.id] != nil && l.machine == machine && l.neverRead() {
			p.dropped = append(p.dropped, l.id)
			continue
		}
		if known[l.id] != nil && !l.gone && l.machine == machine && (l.part != "" && files[partsOf{l.agent, l.path}] || !disk.exists(l.path)) {
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

func (l *loaded) changed(now *tables.Source) bool {
	return l.stamp != now.Stamp || l.readerVersion != int64(now.ReaderVersion) ||
		l.part == "" && (l.size != now.Size || l.modifiedAt != now.ModifiedAt.UnixMicro())
}

// isInParts reports whether a log has no rows but those of its parts, which are loaded by
// themselves.
func (l *loaded) isInParts(f *found) bool {
	return f.reader != nil && f.reader.PartsOnly && l.part == "" && !l.unread && !l.gone && f.err == nil && f.log.Err == nil &&
		f.source.Stamp != "" && l.readerVersion == int64(f.source.ReaderVersion)
}

// Values of reader_version for a source that was never read. versionOfNone marks a path
// that stands in a log's place but isn't a log; versionOfSilent marks a log on a silent
// device.
const (
	versionOfNone   = 0
	versionOfSilent = -1
)

// neverRead reports whether the store has no rows of the source, or only forgotten ones.
func (l *loaded) neverRead() bool { return l.forgotten || l.unread && l.readerVersion <= versionOfNone }

// wasSilent reports whether the log's disk was silent. The store's rows are then
// complete for the recorded state of the log.
func (l *loaded) wasSilent() bool { return l.unread && !l.failed && !l.gone }

// silence notes a known log on a silent disk.
func (p *plan) silence(l *loaded) {
	if !l.unread && !l.gone && !l.forgotten {
		p.silent = append(p.silent, l.id)
	}
}

// looks holds the functions by which a plan inspects the disk.
type looks struct {
	// opens reports whether the beginning of a log that was unread can be read now.
	opens  func(f *found) bool
	exists func(path string) bool
	// silent reports whether a found log lies on a device that gives no answer. hides
	// reports whether a silent device may have kept the search from finding path.
	silent func(f *found) bool
	hides  func(path string) bool
	// look returns the state of a neighbour file. known is false if the disk doesn't
	// tell.
	look func(path string) (now tables.Neighbour, known bool)
}

// find searches for the logs of every reader. The warnings name folders that
// could not be listed.
func find(c Config, dog *readers.Watchdog, now time.Time) (logs []found, warnings []error) {
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
				Machine:       c.machine(),
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
			logs = append(logs, found{reader: r, log: log, source: src, id: src.ID(), dog: dog})
		}
	}
	return logs, warnings
}

// PlaceReport describes one root and the logs below the root.
type PlaceReport struct {
	Agent, Title string
	Path         string
	From         string // who named the root, see readers.Place
	Exists       bool
	Files        int   // logs
	Bytes        int64 // of the logs
	Unlisted     error // why a folder below can't be listed; nil if all can
	Silent       error // why the root, or a folder below, gives no answer; nil if all devices answer
}

// Places lists all searched roots, including missing ones. The error names folders that
// could not be listed.
func (st *Store) Places() ([]PlaceReport, error) {
	var reports []PlaceReport
	var wrong []error
	c := st.settings.get()
	dog := st.disks.watchdog(c, false)
	for _, r := range c.Readers {
		for _, place := range r.Places(c.Host, c.Roots[r.Agent]) {
			report := PlaceReport{Agent: r.Agent, Title: r.Title, Path: place.Path, From: place.From, Exists: dog.Exists(place.Path)}
			logs, _, err := dog.Search(r, []readers.Place{place})
			report.Silent = dog.SilentRoot(place.Path)
			report.Unlisted, wrong = err, append(wrong, err)
			for _, log := range logs {
				report.Files++
				report.Bytes += log.Size
			}
			reports = append(reports, report)
		}
	}
	return reports, errors.Join(wrong...)
}
