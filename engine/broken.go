package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"hindsql/engine/sandbox"
	"hindsql/engine/sqlerror"
	"hindsql/internal/sqltext"
)

// endIfBroken ends a worker whose DuckDB is broken, at once: another worker takes over. If
// the statement ran alone, it is known to be to blame.
func endIfBroken(err error) {
	if sqlerror.Broke(err) && sandbox.Inside() {
		fmt.Fprintln(os.Stderr, "DuckDB is broken: "+strconv.QuoteToASCII(sqlerror.Cause(err)))
		os.Exit(1)
	}
}

// note remembers that the DuckDB is broken.
func (in *instance) note(err error) error {
	if sqlerror.Broke(err) {
		in.broken.Store(true)
	}
	return err
}

// patienceOfBroken is how long a statement waits for others that still read from a
// broken DuckDB.
const patienceOfBroken = 2 * time.Second

// whole starts DuckDB anew if it is broken, as soon as nobody reads from the old one.
// Two DuckDBs of one process must never have the same file open: the end of the first
// would give up the lock of the second.
func (in *instance) whole(ctx context.Context) error {
	if !in.broken.Load() {
		return nil
	}
	if err := in.held.Own(ctx, time.Now().Add(patienceOfBroken)); err != nil {
		return cmp.Or(ctx.Err(), errors.New("DuckDB failed, and starts anew when the statements that still run have ended; ask again"))
	}
	defer in.held.Disown()
	return in.withAttachment(ctx, func() (err error) {
		if !in.broken.Load() {
			return nil
		}
		in.sessions.Range(func(s, _ any) bool {
			_ = s.(*connection).conn.Close()
			return true
		})
		_ = errors.Join(in.conn.Close(), in.db.Close()) // a broken DuckDB's errors say nothing new
		if in.db, in.conn, err = openMemory(context.WithoutCancel(ctx), in.spill.Folder, 1); err != nil {
			return err
		}
		a := &in.attached
		a.is, a.file, a.checked, a.named = false, nil, nil, false
		in.narrow.Store(true)
		in.redaction = sync.Once{}
		in.epoch++
		in.broken.Store(false)
		return nil
	})
}

// join gives a session a connection to the DuckDB.
func (in *instance) join(ctx context.Context, s *connection) (err error) {
	s.epoch, s.placed = in.epoch, false
	if s.conn, err = in.db.Conn(ctx); err != nil {
		return err
	}
	in.sessions.Store(s, nil)
	if zone := in.settings.get().Timezone; zone != "" {
		return s.exec(ctx, "SET TimeZone = "+sqltext.Literal(zone))
	}
	return nil
}

// holdFor makes the store readable for a session. If the session's DuckDB was started
// anew, the session joins the new one.
func (in *instance) holdFor(ctx context.Context, s *connection, acquire func(context.Context) error) error {
	if s.holding && in.broken.Load() {
		s.began.Store(false) // the transaction went with its DuckDB
		s.letGo(ctx)
	}
	if s.holding {
		return nil
	}
	if err := acquire(ctx); err != nil {
		return err
	}
	s.holding = true
	var err error
	if s.epoch != in.epoch {
		err = in.join(ctx, s)
	}
	if err = cmp.Or(err, in.widen(ctx)); err != nil {
		s.letGo(ctx)
	}
	return err
}
