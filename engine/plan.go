package engine

import (
	"errors"
	"slices"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// found is a log on the disk, or a part of one.
type found struct {
	reader *readers.Reader
	log    readers.Log
	source tables.Source
	id     int64
	near   []tables.Neighbour // that its list of parts hangs on, as they were before
	err    error              // its parts could not be listed
	known  bool               // the store knows that it can't be read, and it is as it was then
	dog    *readers.Watchdog  // looks at it
}

// loaded is a log as the store knows it.
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
	unread        bool // when it was last tried
	failed        bool // reading failed; an unread log that did not fail has whole rows, and a silent disk
	neighbours    []tables.Neighbour
}

// plan is what a sync has to do.
type plan struct {
	found     int
	bytes     int64             // of all that was found
	dog       *readers.Watchdog // by which the search was done
	all       []found           // that the search found
	load      []found           // new or changed, in the order found
	gone      []int64           // in the store, and no longer on the disk
	back      []int64           // gone once, and there again unchanged
	dropped   []int64           // stood in the place of a log, and do no more
	silent    []int64           // on a silent device, since this sync
	heard     []int64           // on a device that was silent and isn't, and unchanged
	odd       int               // of those found, what can't be a log
	unlinked  bool              // a sync was cut off between loading and linking
	unchanged int
	byFile    bool   // rows were refused when all were one transaction
	old       string // the store that a new one takes rows from; empty for none
	files     string // the fingerprint of those found
}

func (p *plan) nothing() bool {
	return len(p.load) == 0 && !p.marks() && !p.unlinked && !p.fellSilent()
}

// marks says whether there is anything to note of files that are not loaded.
func (p *plan) marks() bool {
	return len(p.gone)+len(p.back)+len(p.dropped)+len(p.silent)+len(p.heard) > 0
}

// makePlan compares the disk with the store. A file that the store knows and
// the search didn't meet is gone only when it is not there: it may lie below a
// root that this search left out; a part is gone when its file has others.
// Files of other machines are never gone.
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
		if l != nil && l.machine != machine { // an id that another machine pushed rows with: they make room for the log's own
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

func (l *loaded) changed(now *tables.Source) bool {
	return l.stamp != now.Stamp || l.readerVersion != int64(now.ReaderVersion) ||
		l.part == "" && (l.size != now.Size || l.modifiedAt != now.ModifiedAt.UnixMicro())
}

// The reader_version of a source of which nothing was ever read: of what is no log,
// but stands in the place of one, and of a log on a silent device.
const (
	versionOfNone   = 0
	versionOfSilent = -1
)

// neverRead says that the store has no rows of the source.
func (l *loaded) neverRead() bool { return l.unread && l.readerVersion <= versionOfNone }

// wasSilent says that the disk of the log was silent. The rows are then the log's, as
// the store knows the log.
func (l *loaded) wasSilent() bool { return l.unread && !l.failed && !l.gone }

// silence notes a known log on a silent disk.
func (p *plan) silence(l *loaded) {
	if !l.unread && !l.gone {
		p.silent = append(p.silent, l.id)
	}
}

// looks are how a plan sees the disk.
type looks struct {
	// opens says whether a log that could not be read can be now, at its beginning.
	opens  func(f *found) bool
	exists func(path string) bool
	// silent says whether a log that was found lies on a device that gives no answer,
	// and hides whether one of a path would not have been found for that.
	silent func(f *found) bool
	hides  func(path string) bool
	// look says what lies at a path as a reader's neighbour does; false where the disk
	// doesn't say.
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

// PlaceReport is one root, and what was found below it.
type PlaceReport struct {
	Agent, Title string
	Path         string
	From         string // who named it, see readers.Place
	Exists       bool
	Files        int   // logs
	Bytes        int64 // of those logs
	Silent       error // the root lies on a device that gives no answer, or part of it does; nil where all does

	ReaderVersion int // of this build's reader, see sources.reader_version
}

// Places lists every root that is searched, those that aren't there included.
// The error names folders that could not be listed.
func (st *Store) Places() ([]PlaceReport, error) {
	var reports []PlaceReport
	var wrong []error
	c := st.settings.get()
	dog := st.disks.watchdog(c, false)
	for _, r := range c.Readers {
		for _, place := range r.Places(c.Host, c.Roots[r.Agent]) {
			report := PlaceReport{Agent: r.Agent, Title: r.Title, ReaderVersion: r.Version, Path: place.Path, From: place.From, Exists: dog.Exists(place.Path)}
			logs, _, err := dog.Search(r, []readers.Place{place})
			report.Silent = dog.SilentRoot(place.Path)
			wrong = append(wrong, err)
			for _, log := range logs {
				report.Files++
				report.Bytes += log.Size
			}
			reports = append(reports, report)
		}
	}
	return reports, errors.Join(wrong...)
}
