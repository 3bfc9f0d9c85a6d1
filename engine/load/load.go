package load

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
	batch *tables.Batch
	bytes int64
	files []foundLog // logs whose rows the batch holds
	asideLogs
}

func (u *unit) count() int { return len(u.files) + len(u.asides) + len(u.unresponsive) }

// loads is the result of a load.
type loads struct {
	files        int
	unresponsive int // of the files, those not read
	bytes        int64
	problems     int64
	warnings     []error // flaws and their causes
}

// load parses logs side by side, and hands their rows to insert, one unit at a time,
// after begin has run. together says that all units go into one transaction. Rows of a
// file may then come in a later unit than the file.
func load(ctx context.Context, logs []foundLog, together bool, tell func(Progress), begin func() error, insert func(*unit) error) (done loads, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if bytesOf(logs) > unitBytes {
		defer collector.Load()()
	}
	pool := buffers.New()
	defer pool.Drop()
	work := make(chan foundLog)
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

	progress := &progress{Progress{TotalFiles: len(logs), TotalBytes: bytesOf(logs)}, tell, time.Time{}}
	if err = begin(); err != nil {
		cancel()
	}
	for u := range units {
		if err == nil {
			if err = insert(&u); err != nil {
				cancel()
			} else {
				done.files += u.count()
				done.unresponsive += len(u.unresponsive)
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
	if tell != nil && len(logs) > 0 {
		tell(progress.Progress)
	}
	return done, err
}

// send hands out logs, and waits until they are parsed.
func send(ctx context.Context, work chan<- foundLog, reading *sync.WaitGroup, logs []foundLog) {
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
func parse(ctx context.Context, pool *buffers.Pool, work <-chan foundLog, reading *sync.WaitGroup, units chan<- unit, together bool) {
	u := unit{batch: tables.NewBatch(pool)}
	for f := range work {
		if ctx.Err() == nil {
			u.parse(f)
		}
		reading.Done()
		if u.bytes >= unitBytes && ctx.Err() == nil {
			next := unit{batch: tables.NewBatch(pool)}
			if together {
				next.batch.MoveSmallTables(u.batch, fewRows)
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
func (u *unit) parse(f foundLog) {
	rows, err := f.load()
	if u.addUnresponsive(f, err) {
		return
	}
	if rows == nil || !f.dog.MayExist(f.log.Path) {
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
		readers.FreeMemory()
	}
}

// Progress is how far a load is.
type Progress struct {
	Files, TotalFiles int
	Bytes, TotalBytes int64
}

// progress reports how far a load is, at most every 100 ms.
type progress struct {
	Progress
	report func(Progress)
	last   time.Time
}

func (p *progress) add(files int, bytes int64) {
	p.Files += files
	p.Bytes += bytes
	if now := time.Now(); p.report != nil && now.Sub(p.last) >= 100*time.Millisecond {
		p.last = now
		p.report(p.Progress)
	}
}
