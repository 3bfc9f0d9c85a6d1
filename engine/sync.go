package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"hindsql/readers"
)

// SyncOptions says how far a sync goes, and who hears of it.
type SyncOptions struct {
	Full     bool           // read every log anew
	Retry    bool           // look also at roots whose disk gave no answer a moment ago
	Progress func(Progress) // may be nil; called while logs are loaded, at most every 100 ms, and at the end
	Waits    func()         // may be nil; called when another sync makes the store, and this one waits for it
}

// SyncReport says what a sync did.
type SyncReport struct {
	Found, Loaded, Unchanged int   // log files, and parts of those that hold many sessions
	Gone                     int   // files that were missed for the first time; their rows stay
	Bytes                    int64 // of the files loaded
	Problems                 int64 // in the files loaded
	Elapsed                  time.Duration
	Busy                     bool        // another sync was running: nothing was loaded
	Held                     *Held       // who has the file open, so that not all could be loaded; nil when nobody has
	Unwritable               *Unwritable // why the disk took no more rows; nil when it took them
	Salvage                  *Salvage    // of the store that was there, which was damaged; nil when it wasn't
	Healed                   *Healed     // of what another program did to the store's rows; nil when none did anything
	Warnings                 []error     // folders that could not be listed
}

// Whole says that the store holds what the logs hold.
func (r *SyncReport) Whole() bool { return !r.Busy && r.Held == nil && r.Unwritable == nil }

// lastSync is the last sync that was whole.
type lastSync struct {
	began  time.Time
	report SyncReport
}

// Sync brings the store up to date with the logs. One at a time does, of all
// processes: where another one runs, Sync waits for Patience, and then reports
// Busy; where that one makes the store, and no Patience is named, for ten
// minutes. It waits 250 ms at most for statements that are running, 2 s when no sync
// has come to write for a second, 5 s where Patience is more than 2 s, and then reports who is in the way: what
// follows is answered from before. So it is where the disk
// takes no more rows, see [Unwritable]. Whenever it is killed, the
// store opens, and the next Sync goes on. Where it had nothing to do the store
// stays attached for the statement that most likely follows: where none does,
// call [Store.Detach]. The error is a [*Held] when another program writes to the
// file, a [*NotAStore], or an [*Unwritable] where there is no store to answer from.
func (st *Store) Sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	if st.safe != nil {
		return st.safe.source.Sync(ctx, o)
	}
	if st.lake != nil {
		return SyncReport{}, nil
	}
	asked := time.Now()
	entered, err := st.patiently(ctx, o.Waits, func(ctx context.Context) (bool, error) {
		err := st.syncing.enter(ctx)
		return err == nil, err
	})
	if err != nil || !entered {
		return SyncReport{Busy: !entered}, err
	}
	defer st.syncing.leave()
	if last := st.lastWhole(); last.began.After(asked) && !o.Full {
		return last.report, nil // it saw what was there when this one was asked for
	}
	start := time.Now()
	report, err := st.sync(ctx, o, start)
	report.Elapsed = time.Since(start)
	if err == nil && report.Whole() {
		st.noteWhole(lastSync{start, report})
	}
	return report, err
}

func (st *Store) lastWhole() lastSync {
	st.mutex.Lock()
	defer st.mutex.Unlock()
	return st.last
}

func (st *Store) noteWhole(l lastSync) {
	st.mutex.Lock()
	defer st.mutex.Unlock()
	st.last, st.starved = l, time.Time{}
}

// SyncedAt is when the logs were last found to be loaded; before the first sync
// of this process, when the file was last written to, and zero without one.
func (st *Store) SyncedAt() time.Time {
	if st.safe != nil {
		return st.safe.source.SyncedAt()
	}
	if st.inside != nil {
		return time.Unix(0, st.inside.synced.Load())
	}
	if st.lake != nil {
		return st.lake.At
	}
	if last := st.lastWhole(); !last.began.IsZero() {
		return last.began
	}
	if info, err := os.Stat(st.path); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

func (st *Store) sync(ctx context.Context, o SyncOptions, now time.Time) (report SyncReport, err error) {
	st.tighten()
	c := st.settings()
	var s state
	read := make(chan struct{})
	go func() { // while the folders are walked
		defer close(read)
		s, err = st.stateHeld(ctx)
	}()
	dog := st.watchdog(c, o.Retry)
	logs, warnings := find(c, dog, now)
	<-read
	defer func() { report.Warnings = append(report.Warnings, st.rememberSilent(dog)...) }()
	if o.Full && isDamage(err, true) {
		s, err = state{damaged: true}, nil
	}
	if err != nil {
		return SyncReport{Warnings: warnings}, err
	}
	if !s.damaged {
		var nothing bool
		report, nothing, err = st.compare(ctx, c, dog, o, &s, logs)
		report.Warnings = warnings
		if nothing && err == nil {
			st.park()
			return report, nil
		}
		st.release(ctx)
	}
	if o.Full && isDamage(err, true) {
		s, err = state{damaged: true}, nil
	}
	if err != nil {
		return report, st.condition(err)
	}
	report, err = st.syncWriting(ctx, c, dog, o, s, logs, report)
	report.Warnings = append(warnings, report.Warnings...)
	return st.orUnwritable(&s, report, err)
}

// syncWriting is the part of a sync that writes.
func (st *Store) syncWriting(ctx context.Context, c Config, dog *readers.Watchdog, o SyncOptions, s state, logs []found, report SyncReport) (SyncReport, error) {
	if err := os.MkdirAll(filepath.Dir(st.path), 0o700); err != nil {
		return report, err
	}
	st.spill.claim()
	lock, locked, err := st.lock(ctx, o.Waits)
	if err != nil {
		return report, err
	}
	if !locked {
		report.Busy = true
		return report, nil
	}
	defer lock.Unlock()
	report, err = st.syncLocked(ctx, c, dog, o, s, logs)
	if err == nil {
		st.noteMark(markOf(st.path))
	}
	return st.orHeld(report, err)
}

// compare says whether the acquired store is up to date with the logs.
func (st *Store) compare(ctx context.Context, c Config, dog *readers.Watchdog, o SyncOptions, s *state, logs []found) (report SyncReport, nothing bool, err error) {
	if !o.Full && !s.foreign && !s.tampered && !s.unlinked && s.estimatesBy(c.Prices) && s.last.files == fingerprint(logs) {
		same, err := st.neighboursAreAsBefore(ctx, dog, c.machine())
		if err != nil || same {
			return SyncReport{Found: s.last.found, Unchanged: s.last.found}, same, err
		}
	}
	if err := st.readLogs(ctx, s); err != nil {
		return report, false, err
	}
	p := s.plan(c, dog, logs, o.Full)
	return p.report(), p.nothing() && s.estimatesBy(c.Prices) && !s.foreign && !s.tampered && !o.Full, nil
}

// orHeld takes a file that others have open for a fact, not an error.
func (st *Store) orHeld(report SyncReport, err error) (SyncReport, error) {
	if !errors.As(err, &report.Held) {
		return report, err
	}
	st.mutex.Lock()
	defer st.mutex.Unlock()
	if st.starved.IsZero() {
		st.starved = time.Now()
	}
	return report, nil
}

// firstTurn is that of a sync which has not written yet. It waits longer when
// none has come to write for a while, or where more patience than usual was
// asked for.
func (st *Store) firstTurn() turn {
	if patience := st.patience(); patience > longestWindow {
		return turn{window, min(patience, patienceOfAll)}
	}
	st.mutex.Lock()
	defer st.mutex.Unlock()
	if !st.starved.IsZero() && time.Since(st.starved) > starving {
		return turn{longestWindow, longestWindow}
	}
	return turn{window, window}
}

// removeLeftovers removes what a killed process left of its work.
func (st *Store) removeLeftovers() error {
	for _, path := range []string{st.draft(), st.path + ".saved", st.path + ".saved.bare"} {
		if err := removeStore(path); err != nil {
			return err
		}
	}
	removeSpills(st.path)
	return os.RemoveAll(spill(st.path))
}

// syncLocked looks at the store again, as the process that held the lock may
// have done the work.
func (st *Store) syncLocked(ctx context.Context, c Config, dog *readers.Watchdog, o SyncOptions, s state, logs []found) (SyncReport, error) {
	if err := st.removeLeftovers(); err != nil {
		return SyncReport{}, err
	}
	if !s.stillTrue(st.path) {
		var err error
		if s, err = st.state(ctx); o.Full && isDamage(err, true) {
			s = state{damaged: true}
		} else if err != nil {
			return SyncReport{}, err
		}
	}
	p := s.plan(c, dog, logs, o.Full)
	report := p.report()
	anew := o.Full || s.damaged || s.missing || s.foreign || s.tampered
	done, err := st.carryOut(ctx, &s, p, o, &report)
	report.Loaded, report.Bytes, report.Problems, report.Warnings = done.files-done.silent, done.bytes, done.problems, done.warnings
	if err != nil {
		return report, err
	}
	had := s.last.prices
	if anew {
		had = "" // unless only some rows were missing, which are estimated twice
	}
	warning, err := st.price(ctx, c.Prices, had)
	if warning != nil {
		report.Warnings = append(report.Warnings, warning)
	}
	return report, err
}

// carryOut does what a plan says. A full sync that finds the store damaged goes
// on without what can't be read of it.
func (st *Store) carryOut(ctx context.Context, s *state, p plan, o SyncOptions, report *SyncReport) (done loads, err error) {
	switch {
	case s.damaged:
	case s.missing:
		return st.rebuild(ctx, p, o.Progress, "", nil)
	case s.tampered:
		if done, report.Healed, err = st.heal(ctx, s, p, o); !o.Full || !isDamage(err, true) {
			return done, err
		}
	case o.Full || s.foreign:
		if done, err = st.rebuild(ctx, p, o.Progress, st.path, nil); !o.Full || !isDamage(err, true) {
			return done, err
		}
	case !p.nothing():
		return st.update(ctx, p, o.Progress)
	default:
		return done, nil
	}
	done, report.Salvage, err = st.rebuildDamaged(ctx, p, o.Progress, time.Now())
	return done, err
}

func (p *plan) report() SyncReport {
	return SyncReport{Found: p.found - p.odd, Unchanged: max(0, p.unchanged-p.odd), Gone: len(p.gone)}
}

func bytesOf(logs []found) (n int64) {
	for i := range logs {
		n += logs[i].bytes()
	}
	return n
}
