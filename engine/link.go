package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/engine/store"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// byStatement says whether an error comes of what a statement was to do, and not
// of the disk, a damaged file, or who ended it. The others would meet it again.
func byStatement(err error) bool {
	var d *duckdb.Error
	if !errors.As(err, &d) || store.IsDamage(err, false) {
		return false
	}
	switch d.Type {
	case duckdb.ErrorTypeIO, duckdb.ErrorTypeInterrupt, duckdb.ErrorTypePermission, duckdb.ErrorTypeConnection, duckdb.ErrorTypeTransaction:
		return false
	}
	return !strings.Contains(d.Msg, "No space left")
}

// endsDuckDB says whether an error ends, or may end, the DuckDB that it came from.
func endsDuckDB(err error) bool {
	var d *duckdb.Error
	return errors.As(err, &d) && (d.Type == duckdb.ErrorTypeFatal || d.Type == duckdb.ErrorTypeInternal || d.Type == duckdb.ErrorTypeOutOfMemory)
}

// manyMessages is how many messages are worth the other threads in a link: the
// parsers are done by then. With fewer, most of its time goes into planning.
const manyMessages = 20_000

// linker joins what stands in several files, by the steps of [tables.Links].
type linker struct {
	l       *loader
	leftOut []*stepError // steps that failed, see leaveOut
}

// link joins what stands in several files.
func (k *linker) link(ctx context.Context) error {
	if err := k.l.exec(ctx, "SET VARIABLE own_machine = nullif("+sqltext.Literal(k.l.config.machine())+", '')"); err != nil {
		return err
	}
	var messages int64
	count := "SELECT coalesce(sum(messages), 0)::BIGINT FROM sources WHERE source_id IN (FROM pending_links)"
	if err := k.l.conn.QueryRowContext(ctx, count).Scan(&messages); err != nil {
		return err
	}
	if messages > manyMessages {
		if err := cmp.Or(k.l.exec(ctx, fmt.Sprintf("SET threads = %d", runtime.GOMAXPROCS(0))), k.l.allow(ctx, ordinaryMemory+linkMemory*messages)); err != nil {
			return err
		}
	}
	out := k.isLeftOut()
	for _, step := range tables.Links() {
		if out[step.Name] {
			continue
		}
		if err := k.join(ctx, step); err != nil {
			return &stepError{step, err}
		}
	}
	if len(out) > 0 {
		return k.l.exec(ctx, tables.LinksLeft)
	}
	return k.l.exec(ctx, tables.LinksDone)
}

// stepError is that of a link step. The step is left out of what the loader does
// from then on: what it would have worked out stays as it was, what needs it is
// left out with it, and the files stay pending, so that the next sync tries all
// steps again.
type stepError struct {
	step tables.Link
	err  error
}

func (s *stepError) Error() string { return fmt.Sprintf("link %s: %v", s.step.Name, s.err) }
func (s *stepError) Unwrap() error { return s.err }

// leaveOut says whether a transaction failed by a link step alone, and can be
// done once more without that.
func (k *linker) leaveOut(ctx context.Context, err error) bool {
	var failed *stepError
	if ctx.Err() != nil || !errors.As(err, &failed) || k.l.lacksMemory(err) || !byStatement(err) {
		return false
	}
	k.leftOut = append(k.leftOut, failed)
	return !endsDuckDB(err)
}

// isLeftOut are the names of the steps that failed, and of those that need them.
func (k *linker) isLeftOut() map[string]bool {
	out := map[string]bool{}
	for _, failed := range k.leftOut {
		out[failed.step.Name] = true
	}
	if len(out) == 0 {
		return out
	}
	for _, step := range tables.Links() {
		if slices.ContainsFunc(step.Needs, func(name string) bool { return out[name] }) {
			out[step.Name] = true
		}
	}
	return out
}

// warnings are what the left out steps cost, a line each.
func (k *linker) warnings() (list []error) {
	for _, failed := range k.leftOut {
		text, _, _ := strings.Cut(failed.err.Error(), "\n")
		list = append(list, fmt.Errorf("link %s failed and is tried again at the next sync; until then what it joins, and what needs it, is as it was: %s", failed.step.Name, text))
	}
	return list
}

// join runs a link, as far as there is anything that it joins.
func (k *linker) join(ctx context.Context, link tables.Link) error {
	for _, part := range link.Parts {
		if needed, err := k.needs(ctx, part); err != nil || !needed {
			return err
		}
		if err := k.l.exec(ctx, part.SQL); err != nil {
			return err
		}
	}
	return nil
}

// needs says whether there is anything that the part joins.
func (k *linker) needs(ctx context.Context, part tables.LinkPart) (needed bool, err error) {
	if part.When == "" {
		return true, nil
	}
	err = k.l.conn.QueryRowContext(ctx, "SELECT "+part.When).Scan(&needed)
	return needed, err
}
