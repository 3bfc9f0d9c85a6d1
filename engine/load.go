package engine

import (
	"context"
	"runtime"
	"sync"
	"time"

	"hindsql/engine/buffers"
	"hindsql/internal/collector"
	"hindsql/readers"
	"hindsql/tables"
)

// unitBytes is the size of the logs in one load unit, rounded up to whole files. Larger
// units are no faster and cost memory.
const unitBytes = 8 << 20

// fewRows is the least number of rows that are worth an INSERT into a table. Each
// INSERT costs a millisecond, whatever it inserts.
const fewRows = 1000

// unit is what a parser goroutine hands to the loader at once: the rows of some logs,
// which are about unitBytes long together.
type unit struct {
	batch  *tables.Batch
	bytes  int64
	files  []found // logs whose rows the batch holds
	asides []aside
	silent []found // logs that were not read, because their disk gives no answer
}

func (u *unit) count() int { return len(u.files) + len(u.asides) + len(u.silent) }

// loads is the result of a load.
type loads struct {
	files    int
	silent   int // of the files, those not read
	bytes    int64
	problems int64
	warnings []error // flaws and their causes
}

// load parses logs side by side, and hands their rows to insert, one unit at a time,
// after begin has run. together says that all units go into one transaction. Rows of a
// file may then come in a later unit than the file.
func load(ctx context.Context, logs []found, together bool, tell func(Progress), begin func() error, insert func(*unit) error) (done loads, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if bytesOf(logs) > unitBytes {
		defer collector.Load()()
	}
	pool := buffers.New()
	defer pool.Drop()
	work := make(chan found)
	units := make(chan unit)
	var parsers, reading sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		parsers.Go(func() { parse(ctx, pool, work, &reading, units, together) })
	}
	go func() {
		defer close(work)
		for round := range rounds(logs) {
			send(ctx, work, &reading, round)
		}
	}()
	go func() { parsers.Wait(); close(units) }()

	progress := newProgress(logs, tell)
	if err = begin(); err != nil {
		cancel()
	}
	for u := range units {
		if err == nil {
			if err = insert(&u); err != nil {
				cancel()
			} else {
				done.files += u.count()
				done.silent += len(u.silent)
				done.bytes += u.bytes
				done.problems += u.batch.Problems() + int64(len(u.asides))
			}
			progress.add(u.count(), u.bytes)
		}
		u.batch.Release()
	}
	if err == nil {
		err = ctx.Err()
	}
	progress.end()
	return done, err
}

// send hands out logs, and waits until they are parsed.
func send(ctx context.Context, work chan<- found, reading *sync.WaitGroup, logs []found) {
	for _, f := range logs {
		reading.Add(1)
		select {
		case work <- f:
		case <-ctx.Done():
			reading.Done()
			return
		}
	}
	reading.Wait()
}

// parse turns logs into units until work is closed. If together is true, a table's rows
// wait for a later unit while they are fewer than fewRows.
func parse(ctx context.Context, pool *buffers.Pool, work <-chan found, reading *sync.WaitGroup, units chan<- unit, together bool) {
	u := unit{batch: tables.NewBatch(pool)}
	for f := range work {
		if ctx.Err() == nil {
			u.parse(f)
		}
		reading.Done()
		if u.bytes >= unitBytes && ctx.Err() == nil {
			next := unit{batch: tables.NewBatch(pool)}
			if together {
				next.batch.TakeTables(u.batch, fewRows)
			}
			units <- u
			u = next
		}
	}
	if !u.batch.Empty() || u.count() > 0 {
		units <- u
	}
}

// parse adds a log to the unit.
func (u *unit) parse(f found) {
	rows, err := f.load()
	if u.takeSilent(f, err) {
		return
	}
	if rows == nil || !f.dog.Exists(f.log.Path) {
		return // the log was deleted: the store's rows, if any, are better than half of the log
	}
	u.bytes += f.bytes()
	if err != nil {
		u.asides = append(u.asides, newAside(f, rows, err))
	} else {
		rows.AppendTo(u.batch)
		u.files = append(u.files, f)
	}
	if rows.Large {
		readers.GiveBack()
	}
}

// progress reports how far a load is, at most every 100 ms.
type progress struct {
	Progress
	report func(Progress)
	last   time.Time
}

func newProgress(logs []found, tell func(Progress)) *progress {
	p := &progress{report: tell}
	p.TotalFiles, p.TotalBytes = len(logs), bytesOf(logs)
	return p
}

func (p *progress) add(files int, bytes int64) {
	p.Files += files
	p.Bytes += bytes
	if now := time.Now(); p.report != nil && now.Sub(p.last) >= 100*time.Millisecond {
		p.last = now
		p.report(p.Progress)
	}
}

func (p *progress) end() {
	if p.report != nil && p.TotalFiles > 0 {
		p.report(p.Progress)
	}
}
