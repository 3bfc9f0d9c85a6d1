package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hindsql/engine/forget"
	"hindsql/engine/store"
	"hindsql/readers"
)

// SyncOptions sets how much a sync reads and whom it informs.
type SyncOptions struct {
	Full     bool           // read every log anew
	Retry    bool           // also look at roots whose disk was silent a moment ago
	Progress func(Progress) // may be nil; called while logs are loaded, at most every 100 ms, and at the end
	Waits    func()         // may be nil; called if this sync waits for another sync that makes the store
}

// SyncReport says what a sync did.
type SyncReport struct {
	Found, Loaded, Unchanged int   // log files, and parts of files that hold many sessions
	Gone                     int   // files missed for the first time; their rows stay
	Bytes                    int64 // of the files loaded
	Problems                 int64 // in the files loaded
	Elapsed                  time.Duration
	Busy                     bool              // another sync was running: nothing was loaded
	Held                     *store.Held       // the process that has the file open and kept rows from being loaded; nil if no process did
	Unwritable               *store.Unwritable // why the disk took no more rows; nil if it took all rows
	Salvage                  *Salvage          // rows saved from the old store; nil if the old store wasn't damaged
	Healed                   *Healed           // rows that another program changed; nil if no program did
	Warnings                 []error           // such as folders that could not be listed
}

// Whole reports whether the store holds all rows of the logs.
func (r *SyncReport) Whole() bool { return !r.Busy && r.Held == nil && r.Unwritable == nil }

// lastSync is the last sync that was whole.
type lastSync struct {
	began  time.Time
	report SyncReport
}

func (f *file) sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	asked := time.Now()
	entered, err := f.patiently(ctx, o.Waits, func(ctx context.Context) (bool, error) {
		err := f.syncing.Enter(ctx)
		return err == nil, err
	})
	if err != nil || !entered {
		return SyncReport{Busy: !entered}, err
	}
	defer f.syncing.Leave()
	if last := f.lastWhole(); last.began.After(asked) && !o.Full {
		return last.report, nil // the last sync began after this call and saw the same logs
	}
	start := time.Now()
	report, err := f.syncAlone(ctx, o, start)
	report.Elapsed = time.Since(start)
	if err == nil && report.Whole() {
		f.noteWhole(lastSync{start, report})
	}
	return report, err
}

func (f *file) lastWhole() lastSync {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.last
}

func (f *file) noteWhole(l lastSync) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.last, f.starved = l, time.Time{}
}

// syncAlone is sync without waiting: the caller is the only one in this process.
func (f *file) syncAlone(ctx context.Context, o SyncOptions, now time.Time) (report SyncReport, err error) {
	f.in.at.Tighten()
	c := f.in.settings.get()
	list, err := forget.Read(f.in.at)
	if err != nil {
		return report, err
	}
	var s state
	read := make(chan struct{})
	go func() { // while the folders are walked
		defer close(read)
		s, err = f.ledger.stateHeld(ctx)
	}()
	dog := f.in.disks.watchdog(c, o.Retry)
	logs, warnings := find(c, dog, now)
	<-read
	defer func() { report.Warnings = append(report.Warnings, f.in.disks.rememberSilent(dog)...) }()
	if o.Full && store.IsDamage(err, true) {
		s, err = state{damaged: true}, nil
	}
	if err != nil {
		return SyncReport{Warnings: warnings}, err
	}
	s.under(list)
	if !s.damaged {
		var nothing bool
		report, nothing, err = f.compare(ctx, c, dog, o, &s, logs)
		report.Warnings = warnings
		if nothing && err == nil {
			f.in.park()
			return report, nil
		}
		f.in.release(ctx)
	}
	if o.Full && store.IsDamage(err, true) {
		s, err = state{damaged: true}, nil
	}
	if err != nil {
		return report, f.in.at.Classify(err)
	}
	report, err = f.syncWriting(ctx, c, dog, o, s, logs, report)
	if s.missing && f.in.at.IsOpenToOthers() {
		warnings = append(warnings, fmt.Errorf("store: %s: other users may change it; name another with --store, or change its folder's rights", f.in.at.Path))
	}
	report.Warnings = append(warnings, report.Warnings...)
	return f.orUnwritable(&s, report, err)
}

// syncWriting is the part of a sync that writes.
func (f *file) syncWriting(ctx context.Context, c Config, dog *readers.Watchdog, o SyncOptions, s state, logs []found, report SyncReport) (SyncReport, error) {
	if err := os.MkdirAll(filepath.Dir(f.in.at.Path), 0o700); err != nil {
		return report, err
	}
	f.in.spill.Claim()
	lock, locked, err := f.lock(ctx, o.Waits)
	if err != nil {
		return report, err
	}
	if !locked {
		report.Busy = true
		return report, nil
	}
	defer lock.Unlock()
	report, err = f.syncLocked(ctx, c, dog, o, s, logs)
	if err == nil {
		f.in.at.NoteMark(store.MarkOf(f.in.at.Path))
	}
	return f.orHeld(report, err)
}

// compare reports whether the acquired store is up to date with the logs.
func (f *file) compare(ctx context.Context, c Config, dog *readers.Watchdog, o SyncOptions, s *state, logs []found) (report SyncReport, nothing bool, err error) {
	if !o.Full && !s.foreign && !s.tampered && !s.relisted && !s.unlinked && s.estimatesBy(c.Prices) && s.last.files == fingerprint(logs) {
		same, err := f.ledger.neighboursAreAsBefore(ctx, dog, c.machine())
		if err != nil || same {
			return SyncReport{Found: s.last.found, Unchanged: s.last.found}, same, err
		}
	}
	if err := f.ledger.readLogs(ctx, s); err != nil {
		return report, false, err
	}
	p := s.plan(c, dog, logs, o.Full)
	s.planned = &p
	return p.report(), p.nothing() && s.estimatesBy(c.Prices) && !s.foreign && !s.tampered && !s.relisted && !o.Full, nil
}

// orHeld moves a [*Held] error into the report: a file that other processes have open
// is no error of the sync.
func (f *file) orHeld(report SyncReport, err error) (SyncReport, error) {
	if !errors.As(err, &report.Held) {
		return report, err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.starved.IsZero() {
		f.starved = time.Now()
	}
	return report, nil
}

// firstTurn returns the turn of a sync that has not written yet. The turn is longer if
// no sync could write for a while, or if the user set more patience than usual.
func (f *file) firstTurn() turn {
	if patience := f.patience(); patience > store.LongestWindow {
		return turn{window, min(patience, patienceOfAll)}
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if !f.starved.IsZero() && time.Since(f.starved) > starving {
		return turn{store.LongestWindow, store.LongestWindow}
	}
	return turn{window, window}
}

// syncLocked looks at the store again, because the process that held the lock may have
// done the work.
func (f *file) syncLocked(ctx context.Context, c Config, dog *readers.Watchdog, o SyncOptions, s state, logs []found) (SyncReport, error) {
	if err := f.in.at.RemoveLeftovers(); err != nil {
		return SyncReport{}, err
	}
	if !s.stillTrue(f.in.at.Path) {
		var err error
		if s, err = f.ledger.state(ctx); o.Full && store.IsDamage(err, true) {
			s = state{damaged: true}
		} else if err != nil {
			return SyncReport{}, err
		}
	}
	list, err := forget.Read(f.in.at) // again: the holder of the lock may have changed it
	if err != nil {
		return SyncReport{}, err
	}
	s.under(list)
	if s.planned == nil {
		p := s.plan(c, dog, logs, o.Full)
		s.planned = &p
	}
	p := *s.planned
	anew := o.Full || s.damaged || s.missing || s.foreign || s.tampered
	if !anew && (s.relisted || p.loadsMost()) {
		p, anew = s.plan(c, dog, logs, true), true
		p.anew = true
	}
	if err := f.protect(ctx, list, &p, anew); err != nil {
		return SyncReport{}, err
	}
	report := p.report()
	done, err := f.carryOut(ctx, &s, p, o, &report)
	report.Loaded, report.Bytes, report.Problems, report.Warnings = done.files-done.silent, done.bytes, done.problems, done.warnings
	if err != nil {
		return report, err
	}
	if anew {
		return report, nil // with estimates by the list
	}
	warning, err := f.price(ctx, c.Prices, s.last.prices)
	if warning != nil {
		report.Warnings = append(report.Warnings, warning)
	}
	return report, err
}

// carryOut carries out a plan. If a full sync finds the store damaged, it goes on
// without the unreadable rows.
func (f *file) carryOut(ctx context.Context, s *state, p plan, o SyncOptions, report *SyncReport) (done loads, err error) {
	switch {
	case s.damaged:
	case s.missing:
		return f.rebuild(ctx, p, o.Progress, "", nil)
	case s.tampered:
		if done, report.Healed, err = f.heal(ctx, s, p, o); !o.Full || !store.IsDamage(err, true) {
			return done, err
		}
	case o.Full || s.foreign || p.anew:
		if done, err = f.rebuild(ctx, p, o.Progress, f.in.at.Path, nil); !o.Full || !store.IsDamage(err, true) {
			return done, err
		}
	case !p.nothing():
		return f.update(ctx, p, o.Progress)
	default:
		return done, nil
	}
	done, report.Salvage, err = f.rebuildDamaged(ctx, p, o.Progress, time.Now())
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

// orUnwritable moves the error of a disk that refuses writes into the report, if the
// old store can still answer.
func (f *file) orUnwritable(s *state, report SyncReport, err error) (SyncReport, error) {
	if store.ReasonOf(err) == "" {
		return report, err
	}
	refused := &store.Unwritable{Path: f.in.at.Path, Err: err}
	if s.missing || s.foreign || s.damaged {
		return report, refused
	}
	report.Unwritable = refused
	return report, nil
}
