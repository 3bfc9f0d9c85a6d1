package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hindsql/engine/duck"
	"hindsql/engine/forget"
	"hindsql/engine/store"
	"hindsql/readers"
)

// SyncOptions sets how much a sync reads and whom it informs.
type SyncOptions struct {
	Full     bool           // read every log anew
	Retry    bool           // also look at roots whose disk was unresponsive a moment ago
	Progress func(Progress) // may be nil; called while logs are loaded, at most every 100 ms, and at the end
	Waits    func()         // may be nil; called if this sync waits for another sync that makes the store
}

// SyncReport says what a sync did.
type SyncReport struct {
	Found, Loaded, Unchanged int   // log files, and parts of files that hold many sessions
	Gone                     int   // files missed for the first time; their rows stay
	Moved                    int   // files at a new path; a file with no other change isn't loaded
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

// IsComplete reports whether the store holds all rows of the logs.
func (r *SyncReport) IsComplete() bool { return !r.Busy && r.Held == nil && r.Unwritable == nil }

// lastSync is the last sync that was whole.
type lastSync struct {
	began  time.Time
	report SyncReport
}

// Sync brings the store up to date with the logs. One sync runs at a time, across all
// processes.
func (f *File) Sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	asked := time.Now()
	entered, err := f.waitFor(ctx, o.Waits, func(ctx context.Context) (bool, error) {
		err := f.syncing.Enter(ctx)
		return err == nil, err
	})
	if err != nil || !entered {
		return SyncReport{Busy: !entered}, err
	}
	defer f.syncing.Leave()
	if last := f.lastComplete(); last.began.After(asked) && !o.Full {
		return last.report, nil // the last sync began after this call and saw the same logs
	}
	start := time.Now()
	report, err := f.syncAlone(ctx, o, start)
	report.Elapsed = time.Since(start)
	if err == nil && report.IsComplete() {
		f.mutex.Lock()
		defer f.mutex.Unlock()
		f.last, f.starved = lastSync{start, report}, time.Time{}
	}
	return report, err
}

func (f *File) lastComplete() lastSync {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.last
}

// syncAlone is sync without waiting: the caller is the only one in this process.
func (f *File) syncAlone(ctx context.Context, o SyncOptions, now time.Time) (report SyncReport, err error) {
	f.at.MakePrivate()
	c := f.Config()
	list, err := forget.Read(f.at)
	if err != nil {
		return report, err
	}
	var s state
	read := make(chan struct{})
	go func() { // while the folders are walked
		defer close(read)
		s, err = f.ledger.acquireState(ctx)
	}()
	dog := f.disks.Watchdog(o.Retry)
	logs, warnings := find(c, dog, now)
	<-read
	defer func() { report.Warnings = append(report.Warnings, f.disks.Record(dog)...) }()
	if s, err = ifDamaged(s, err, o.Full); err != nil {
		return SyncReport{Warnings: warnings}, err
	}
	s.compareList(list)
	if s.fitness != damaged {
		var nothing bool
		report, nothing, err = f.compare(ctx, c, dog, o, &s, logs)
		report.Warnings = warnings
		if nothing && err == nil {
			f.db.Park()
			return report, nil
		}
		f.db.Release(ctx)
	}
	if s, err = ifDamaged(s, err, o.Full); err != nil {
		return report, f.at.Classify(err)
	}
	report, err = f.syncWriting(ctx, c, dog, o, s, logs, report)
	if s.fitness == missing && f.at.IsOpenToOthers() {
		warnings = append(warnings, fmt.Errorf("store: %s: other users may change it; name another with --store, or change its folder's rights", f.at.Path))
	}
	report.Warnings = append(warnings, report.Warnings...)
	return f.orUnwritable(s.fitness, report, err)
}

// syncWriting is the part of a sync that writes.
func (f *File) syncWriting(ctx context.Context, c Config, dog *readers.Watchdog, o SyncOptions, s state, logs []foundLog, report SyncReport) (SyncReport, error) {
	if err := os.MkdirAll(filepath.Dir(f.at.Path), 0o700); err != nil {
		return report, err
	}
	f.db.ClaimSpill()
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
		f.at.RecordMark(store.MarkOf(f.at.Path))
	}
	return f.orHeld(report, err)
}

// compare reports whether the acquired store is up to date with the logs. The fingerprint
// comes first: if it is as before, compare doesn't read the store's record of each log.
func (f *File) compare(ctx context.Context, c Config, dog *readers.Watchdog, o SyncOptions, s *state, logs []foundLog) (report SyncReport, nothing bool, err error) {
	if !o.Full && s.fitness == fit && !s.unlinked && s.estimatesBy(c.Prices) && s.last.files == fingerprint(logs) {
		same, err := f.ledger.neighboursAreAsBefore(ctx, dog, c.Machine)
		if err != nil || same {
			return SyncReport{Found: s.last.found, Unchanged: s.last.found}, same, err
		}
	}
	if err := f.ledger.readLogs(ctx, s, logs); err != nil {
		return report, false, err
	}
	p := s.plan(c, dog, logs, o.Full || s.fitness == relisted)
	s.planned = &p
	return p.report(), decide(s.fitness, p.work(), o.Full) == doNothing && s.estimatesBy(c.Prices), nil
}

// starving is the time after which a sync starts with the longest window.
const starving = time.Second

// laterTurn is the turn of a writer in the middle of its work.
var laterTurn = duck.Turn{Window: duck.Window, Patience: duck.PatienceOfAll}

// rebuildTurn is the turn of a rebuild that has only to put its file in place. The
// rebuild has cost more than the wait: a minute.
var rebuildTurn = duck.Turn{Window: duck.Window, Patience: time.Minute}

// orHeld moves a [*store.Held] error into the report: a file that other processes have open
// is no error of the sync.
func (f *File) orHeld(report SyncReport, err error) (SyncReport, error) {
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
func (f *File) firstTurn() duck.Turn {
	if patience := f.patience(); patience > store.LongestWindow {
		return duck.Turn{Window: duck.Window, Patience: min(patience, duck.PatienceOfAll)}
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if !f.starved.IsZero() && time.Since(f.starved) > starving {
		return duck.Turn{Window: store.LongestWindow, Patience: store.LongestWindow}
	}
	return duck.Turn{Window: duck.Window, Patience: duck.Window}
}

// syncLocked looks at the store again, because the process that held the lock may have
// done the work.
func (f *File) syncLocked(ctx context.Context, c Config, dog *readers.Watchdog, o SyncOptions, s state, logs []foundLog) (SyncReport, error) {
	if err := f.at.RemoveLeftovers(); err != nil {
		return SyncReport{}, err
	}
	if !s.isCurrent(f.at.Path) {
		var err error
		s, err = f.ledger.state(ctx, logs)
		if s, err = ifDamaged(s, err, o.Full); err != nil {
			return SyncReport{}, err
		}
	}
	list, err := forget.Read(f.at) // again: the holder of the lock may have changed it
	if err != nil {
		return SyncReport{}, err
	}
	s.compareList(list)
	if s.planned == nil {
		p := s.plan(c, dog, logs, o.Full || s.fitness == relisted)
		s.planned = &p
	}
	p := *s.planned
	action := decide(s.fitness, p.work(), o.Full)
	if action == doRebuild && s.fitness == fit && !o.Full {
		p = s.plan(c, dog, logs, true) // not only most logs
	}
	if err := f.filterForgotten(ctx, list, &p, action.makesAnew()); err != nil {
		return SyncReport{}, err
	}
	report := p.report()
	done, err := f.act(ctx, action, &s, p, o, &report)
	report.Loaded, report.Bytes, report.Problems, report.Warnings = done.files-done.unresponsive, done.bytes, done.problems, done.warnings
	if err != nil {
		return report, err
	}
	if action.makesAnew() {
		return report, nil // with estimates by the list
	}
	warning, err := f.updateEstimates(ctx, c.Prices, s.last.prices)
	if warning != nil {
		report.Warnings = append(report.Warnings, warning)
	}
	return report, err
}

// act does an action. If a full sync meets damage meanwhile, act decides again.
func (f *File) act(ctx context.Context, a action, s *state, p plan, o SyncOptions, report *SyncReport) (done loads, err error) {
	switch a {
	case doNothing:
		return done, nil
	case doUpdate:
		return f.update(ctx, p, o.Progress)
	case doCreate:
		return f.rebuild(ctx, p, o.Progress, "", nil)
	case doSalvage:
		done, report.Salvage, err = f.rebuildDamaged(ctx, p, o.Progress)
		return done, err
	case doHeal:
		done, report.Healed, err = f.heal(ctx, s, p, o)
	case doRebuild:
		done, err = f.rebuild(ctx, p, o.Progress, f.at.Path, nil)
	}
	if o.Full && store.IsDamage(err, true) {
		return f.act(ctx, decide(damaged, p.work(), o.Full), s, p, o, report)
	}
	return done, err
}

func (p *plan) report() SyncReport {
	return SyncReport{Found: p.found - p.odd, Unchanged: max(0, p.unchanged-p.odd), Gone: len(p.gone), Moved: len(p.moved)}
}

func bytesOf(logs []foundLog) (n int64) {
	for i := range logs {
		n += logs[i].bytes()
	}
	return n
}

// orUnwritable moves the error of a disk that refuses writes into the report, if the
// old store can still answer.
func (f *File) orUnwritable(before fitness, report SyncReport, err error) (SyncReport, error) {
	if store.ReasonOf(err) == "" {
		return report, err
	}
	refused := &store.Unwritable{Path: f.at.Path, Err: err}
	if !before.canAnswer() {
		return report, refused
	}
	report.Unwritable = refused
	return report, nil
}
