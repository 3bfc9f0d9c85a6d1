package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/engine/duck"
	"hindsql/engine/store"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// byStatement reports whether a statement's own work caused an error. Errors of the
// disk, a damaged file or a cancellation don't count: they would stop any other
// statement, too.
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

// endsDuckDB reports whether a DuckDB that returned the error can't run, or may be
// unable to run, another statement.
func endsDuckDB(err error) bool {
	var d *duckdb.Error
	return errors.As(err, &d) && (d.Type == duckdb.ErrorTypeFatal || d.Type == duckdb.ErrorTypeInternal || d.Type == duckdb.ErrorTypeOutOfMemory)
}

// manyMessages is the number of messages above which the link steps get more memory.
// The steps run on one thread like the rest of a loader: on two threads they took 464
// ms of cpu instead of 328 for 211 MB of logs, and 1,486 instead of 1,156 for 1 GB,
// because a thread without work polls.
const manyMessages = 20_000

// linker joins rows of several files, by the steps of [tables.Links].
type linker struct {
	l       *loader
	skipped []*stepError // steps that failed, see skipStep
	commits bool         // each step is a transaction of its own, see linkApart
	unread  error        // why the price list can't be read; nil if it can, or if there is none
}

// linkApart is link in a transaction without other work. If many messages are pending,
// linkApart commits after each step. A step that falls short of memory then runs again
// alone, and memory holds no older rows of earlier steps. If the process dies between two
// steps, the files are still pending, and the next sync runs all steps again.
func (k *linker) linkApart(ctx context.Context) error {
	messages, isNeeded, err := k.pendingMessages(ctx)
	if err == nil && !isNeeded {
		return nil
	}
	if k.commits = messages > manyMessages; err == nil && k.commits {
		err = cmp.Or(k.l.clearRowCounts(ctx), k.commit(ctx))
	}
	if err != nil {
		return err
	}
	defer func() { k.commits = false }()
	return k.linkPending(ctx, messages)
}

func (k *linker) commit(ctx context.Context) error { return k.l.exec(ctx, "COMMIT; BEGIN") }

// pendingMessages returns the number of messages of the pending files, and whether the
// steps have anything to do.
func (k *linker) pendingMessages(ctx context.Context) (n int64, isNeeded bool, err error) {
	var formerly []string
	for former := range tables.Formerly() {
		formerly = append(formerly, " OR EXISTS (FROM "+former+")")
	}
	err = k.l.conn.QueryRowContext(ctx, "SELECT coalesce(sum(messages), 0)::BIGINT, EXISTS (FROM pending_links)"+strings.Join(formerly, "")+
		" FROM sources WHERE source_id IN (FROM pending_links)").Scan(&n, &isNeeded)
	return n, isNeeded, err
}

// link runs the link steps for the pending files, inside a transaction.
func (k *linker) link(ctx context.Context) error {
	messages, _, err := k.pendingMessages(ctx)
	if err != nil {
		return err
	}
	return k.linkPending(ctx, messages)
}

// linkPending is link for a known number of pending messages.
func (k *linker) linkPending(ctx context.Context, messages int64) error {
	if err := k.l.exec(ctx, "SET VARIABLE own_machine = nullif("+sqltext.Literal(k.l.config.Machine)+", '')"); err != nil {
		return err
	}
	if messages > manyMessages {
		if err := k.l.setMemory(ctx, min(ordinaryMemory+min(linkMemory*messages, mostLinkMemory), quarterOf(k.l.mostMemory))); err != nil {
			return err
		}
	}
	if err := k.dropMoved(ctx); err != nil {
		return err
	}
	out := k.skippedSteps()
	if err := k.steps(ctx, out, messages <= manyMessages); err != nil {
		return err
	}
	if len(out) > 0 {
		return k.l.exec(ctx, tables.LinksUnfinished)
	}
	return k.l.exec(ctx, tables.LinksDone)
}

// dropMoved removes the rows of vanished sources that all stand in another source, too.
func (k *linker) dropMoved(ctx context.Context) error {
	if anyGone, err := k.needs(ctx, tables.LinkPart{When: tables.AnyGone}); err != nil || !anyGone {
		return err
	}
	moved, err := duck.Column[int64](ctx, k.l.conn, tables.MovedSources, k.l.config.Machine)
	return cmp.Or(err, k.l.removeAndRelink(ctx, moved))
}

// steps runs the link steps that aren't left out. If few files are pending, most steps
// have nothing to join. From step [tables.LookAheadStep] on, one statement finds these idle
// steps. Its answer holds until a step with work ran.
func (k *linker) steps(ctx context.Context, out map[string]bool, few bool) (err error) {
	list := tables.Links()
	var idle map[string]bool
	for i, step := range list {
		if out[step.Name] {
			continue
		}
		if step.Name == tables.LookAheadStep && few && len(out) == 0 {
			if err = k.l.exec(ctx, step.Parts[0].SQL); err == nil {
				idle, err = k.idle(ctx, list[i:])
			}
			step.Parts = step.Parts[1:] // the first has run
		}
		if err == nil && !idle[step.Name] {
			err = k.run(ctx, step)
			if isConditional(step) {
				idle = nil
			}
		}
		if err != nil {
			return &stepError{step, err}
		}
	}
	return nil
}

// idle returns the names of the conditional steps in list with nothing to join.
func (k *linker) idle(ctx context.Context, list []tables.Link) (map[string]bool, error) {
	needed, err := duck.Column[int](ctx, k.l.conn, tables.LinksNeeded(list))
	idle := map[string]bool{}
	for i, step := range list {
		idle[step.Name] = isConditional(step) && !slices.Contains(needed, i)
	}
	return idle, err
}

func isConditional(step tables.Link) bool {
	return slices.ContainsFunc(step.Parts, func(p tables.LinkPart) bool { return p.When != "" })
}

// run runs a step. If each step is a transaction, run repeats a step that fell short of
// memory, with twice the memory each time.
func (k *linker) run(ctx context.Context, step tables.Link) error {
	err := k.join(ctx, step)
	if !k.commits {
		return err
	}
	for ctx.Err() == nil && k.l.isOutOfMemory(err) {
		if k.l.exec(ctx, "ROLLBACK") != nil {
			return err // DuckDB has ended: the caller starts another one
		}
		if again := cmp.Or(k.l.doubleMemory(ctx), k.l.exec(ctx, "BEGIN")); again != nil {
			return again
		}
		err = k.join(ctx, step)
	}
	return cmp.Or(err, k.commit(ctx))
}

// stepError is the error of a link step. From then on the loader leaves out the failed
// step and all dependent steps. Their results stay as they were. The files stay
// pending, to have the next sync try all steps again.
type stepError struct {
	step tables.Link
	err  error
}

func (s *stepError) Error() string { return fmt.Sprintf("link %s: %v", s.step.Name, s.err) }
func (s *stepError) Unwrap() error { return s.err }

// skipStep skips a link step that alone made a transaction fail. It reports whether the
// transaction can be repeated without the step.
func (k *linker) skipStep(ctx context.Context, err error) bool {
	var failed *stepError
	if ctx.Err() != nil || !errors.As(err, &failed) || k.l.isOutOfMemory(err) || !byStatement(err) {
		return false
	}
	k.skipped = append(k.skipped, failed)
	return !endsDuckDB(err)
}

// skippedSteps returns the names of the failed steps and of all dependent steps.
func (k *linker) skippedSteps() map[string]bool {
	out := map[string]bool{}
	for _, failed := range k.skipped {
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

// warnings returns a one-line warning for each left-out step and an unread price list.
func (k *linker) warnings() (list []error) {
	for _, failed := range k.skipped {
		text, _, _ := strings.Cut(failed.err.Error(), "\n")
		list = append(list, fmt.Errorf("link %s failed and is tried again at the next sync; until then what it joins, and what needs it, is as it was: %s", failed.step.Name, text))
	}
	if k.unread != nil {
		list = append(list, k.unread)
	}
	return list
}

// join runs the parts of a link, until a part has nothing to join.
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

// needs reports whether a part has anything to join.
func (k *linker) needs(ctx context.Context, part tables.LinkPart) (needed bool, err error) {
	if part.When == "" {
		return true, nil
	}
	err = k.l.conn.QueryRowContext(ctx, "SELECT "+part.When).Scan(&needed)
	return needed, err
}

// Prices is a list of model prices, used to estimate costs.
type Prices struct {
	Name string                         // for people, such as "prices of 2026-11"
	Mark string                         // identifies the list; empty if there is no list
	Read func() ([]tables.Price, error) // called if the store has another list
}

// estimatesBy reports whether the store's costs are estimated with list p. A store that
// is missing, or has to be made anew, has no list.
func (s *state) estimatesBy(p Prices) bool { return s.last.prices == p.Mark }

// addPrices puts the price list into a draft, for its links to estimate costs. A list that
// can't be read is a warning of the loader.
func (k *linker) addPrices(ctx context.Context) error {
	p := k.l.config.Prices
	if p.Mark == "" {
		return nil
	}
	list, err := p.Read()
	if err != nil {
		k.unread = err
		return nil //nolint:nilerr // the loader warns of it
	}
	return k.replacePrices(ctx, list, p.Mark)
}

// updateEstimates estimates all costs anew if p isn't the list that the store has, and
// reads no log. A list that can't be read is a warning, and costs stay as they were.
func (f *File) updateEstimates(ctx context.Context, p Prices, had string) (warning, err error) {
	if p.Mark == had {
		return nil, nil
	}
	var list []tables.Price
	if p.Mark != "" {
		if list, warning = p.Read(); warning != nil {
			return warning, nil
		}
	}
	l, err := openLoader(ctx, f.at, f.Config())
	if err != nil {
		return nil, err
	}
	defer l.close()
	return nil, f.write(ctx, l, laterTurn, func() error { return l.links.estimate(ctx, list, p.Mark) })
}

func (k *linker) estimate(ctx context.Context, list []tables.Price, mark string) error {
	err := cmp.Or(k.replacePrices(ctx, list, mark), k.l.exec(ctx, "CREATE OR REPLACE TEMP TABLE scope AS SELECT source_id FROM sources"))
	for _, step := range tables.EstimateSteps() {
		err = cmp.Or(err, k.join(ctx, step))
	}
	return err
}

// replacePrices replaces the store's list of prices, and its mark.
func (k *linker) replacePrices(ctx context.Context, list []tables.Price, mark string) error {
	for _, statement := range tables.PricesSQL(list) {
		if err := k.l.exec(ctx, statement); err != nil {
			return err
		}
	}
	return k.l.exec(ctx, "UPDATE store_info SET prices = nullif("+sqltext.Literal(mark)+", '')")
}
