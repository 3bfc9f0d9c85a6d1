package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"hindsql/readers"
	"hindsql/tables"
)

// SyncReport says what a sync did.
type SyncReport struct {
	Found, Loaded, Unchanged int   // log files, and parts of those that hold many sessions
	Gone                     int   // files that were missed for the first time; their rows stay
	Bytes                    int64 // of the files loaded
	Problems                 int64 // in the files loaded
	Elapsed                  time.Duration
	Busy                     bool // another process is syncing this store: nothing was loaded
}

// defaultPatience is how long a sync waits for that of another process, which
// most likely loads the same files.
const defaultPatience = 750 * time.Millisecond

// Sync brings the store up to date with the logs; full reads every log anew.
// Only one process syncs a store at a time: where another one does, Sync waits
// for Patience, and then reports Busy. Whenever it is killed, the store opens,
// and the next Sync goes on. Where it had nothing to do the store stays attached
// for the statement that most likely follows: where none does, call [Session.Detach].
func (s *Session) Sync(ctx context.Context, full bool) (SyncReport, error) {
	if s.began && s.attached {
		// In a user's transaction the store stays as it was when that began; and
		// no process may open a file twice.
		return SyncReport{}, nil
	}
	start := time.Now()
	report, err := s.sync(ctx, full, start)
	report.Elapsed = time.Since(start)
	return report, err
}

func (s *Session) sync(ctx context.Context, full bool, now time.Time) (SyncReport, error) {
	var st state
	var err error
	read := make(chan struct{})
	go func() { // while the folders are walked
		defer close(read)
		st, err = s.attachedState(ctx)
	}()
	logs, warnings := s.find(now)
	<-read
	for _, w := range warnings {
		s.warn("%v", w)
	}
	if err != nil {
		s.detach(ctx)
		return SyncReport{}, err
	}
	disk := thisDisk(st.loaded, s.config.Hostname)
	p := makePlan(withParts(logs, st.loaded, s.config.Hostname, disk, false), st.loaded, s.config.Hostname, disk)
	p.unlinked = st.unlinked
	report := p.report()
	if p.nothing() && !st.foreign && !full {
		return report, nil
	}
	s.detach(ctx)
	if err := os.MkdirAll(filepath.Dir(s.config.Store), 0o700); err != nil {
		return report, err
	}
	lock, locked, err := s.lock(ctx)
	if err != nil || !locked {
		report.Busy = !locked
		return report, err
	}
	defer lock.Unlock()
	return s.syncLocked(ctx, full, logs)
}

// lock takes the right to write to the store, for which one process at a time
// waits for the others.
func (s *Session) lock(ctx context.Context) (lock *flock.Flock, locked bool, err error) {
	lock = flock.New(s.config.Store+".lock", flock.SetPermissions(0o600))
	patience := s.config.Patience
	if patience == 0 {
		patience = defaultPatience
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	locked, err = lock.TryLockContext(waiting, 10*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		err = ctx.Err()
	}
	return lock, locked, err
}

// removeLeftovers removes what a killed process left of its work.
func (s *Session) removeLeftovers() error {
	if err := removeStore(s.draft()); err != nil {
		return err
	}
	return os.RemoveAll(spill(s.config.Store))
}

// syncLocked looks at the store again, as the process that held the lock may
// have done the work.
func (s *Session) syncLocked(ctx context.Context, full bool, logs []found) (SyncReport, error) {
	if err := s.removeLeftovers(); err != nil {
		return SyncReport{}, err
	}
	st, err := s.state(ctx)
	if err != nil {
		return SyncReport{}, err
	}
	disk := thisDisk(st.loaded, s.config.Hostname)
	logs = withParts(logs, st.loaded, s.config.Hostname, disk, full)
	p := makePlan(logs, st.loaded, s.config.Hostname, disk)
	p.unlinked = st.unlinked
	if full {
		p.load, p.back, p.unchanged = logs, nil, 0
	}
	report := p.report()
	report.Loaded, report.Bytes = len(p.load), bytesOf(p.load)
	switch {
	case full || st.foreign || st.missing:
		report.Problems, err = s.rebuild(ctx, p, !st.missing)
	case !p.nothing():
		report.Problems, err = s.update(ctx, p)
	}
	return report, err
}

func (p *plan) report() SyncReport {
	return SyncReport{Found: p.found, Unchanged: p.unchanged, Gone: len(p.gone)}
}

func bytesOf(logs []found) (n int64) {
	for _, f := range logs {
		n += f.source.Size
	}
	return n
}

// schemaHash is that of the build which wrote the attached store. A DuckDB file
// without one is somebody else's, and an error.
func (s *Session) schemaHash(ctx context.Context) (hash string, err error) {
	missing := func() bool { return err != nil && strings.Contains(err.Error(), "does not exist") }
	err = s.conn.QueryRowContext(ctx, "SELECT schema_hash FROM "+storeSchema+".store_info").Scan(&hash)
	if missing() { // older builds kept their tables in main
		err = s.conn.QueryRowContext(ctx, "SELECT schema_hash FROM store.main.store_info").Scan(&hash)
	}
	if missing() {
		return "", fmt.Errorf("store: %s: a DuckDB file, but no store of hindsql's; name another with --store", s.config.Store)
	}
	return hash, err
}

// state is what the store holds.
type state struct {
	loaded   []loaded
	unlinked bool
	missing  bool // there is no store yet
	foreign  bool // another build of hindsql wrote it, with other tables
}

func (s *Session) state(ctx context.Context) (state, error) {
	defer s.detach(ctx)
	return s.attachedState(ctx)
}

// attachedState is state, and leaves the store attached.
func (s *Session) attachedState(ctx context.Context) (state, error) {
	if _, err := os.Stat(s.config.Store); errors.Is(err, fs.ErrNotExist) {
		return state{missing: true, foreign: true}, nil
	}
	if err := s.attachStore(ctx); err != nil {
		return state{}, err
	}
	var st state
	hash, err := s.schemaHash(ctx)
	if err != nil {
		return st, err
	}
	if st.foreign = hash != tables.SchemaHash(); st.foreign {
		return st, nil
	}
	if err := s.conn.QueryRowContext(ctx, "SELECT count(*) > 0 FROM "+storeSchema+".pending_links").Scan(&st.unlinked); err != nil {
		return st, err
	}
	if st.loaded, err = s.loadedLogs(ctx); err != nil {
		return st, err
	}
	if slices.ContainsFunc(s.config.Readers, func(r *readers.Reader) bool { return r.Parts != nil }) {
		if err := s.addParts(ctx, st.loaded); err != nil {
			return st, err
		}
	}
	return st, s.addNeighbours(ctx, st.loaded)
}

func (s *Session) loadedLogs(ctx context.Context) (list []loaded, err error) {
	rows, err := s.conn.QueryContext(ctx, `SELECT source_id, agent, coalesce(host, ''), path, size,
		coalesce(epoch_us(modified_at), 0), reader_version, gone_at IS NOT NULL FROM `+storeSchema+`.sources`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var l loaded
		if err := rows.Scan(&l.id, &l.agent, &l.host, &l.path, &l.size, &l.modifiedAt, &l.readerVersion, &l.gone); err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, rows.Err()
}
