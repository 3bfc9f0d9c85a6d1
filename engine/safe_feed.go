package engine

import (
	"context"
	"errors"

	"hindsql/tables"
)

// transaction runs work whole or not at all.
func (st *Store) transaction(ctx context.Context, work func() error) error {
	if err := st.exec(ctx, "BEGIN"); err != nil {
		return err
	}
	if err := work(); err != nil {
		return errors.Join(err, st.exec(context.WithoutCancel(ctx), "ROLLBACK"))
	}
	return st.exec(ctx, "COMMIT")
}

// feeds makes views of the Store's memory, by which rows of tables come in,
// until drop is called.
func (st *Store) feeds(list []*tables.Table) (feeds map[*tables.Table]*feed, drop func(context.Context), err error) {
	feeds = map[*tables.Table]*feed{}
	var releases []func()
	drop = func(ctx context.Context) {
		for t := range feeds {
			_ = st.exec(ctx, "DROP VIEW IF EXISTS memory.main.feed_"+t.Name)
		}
		for _, release := range releases {
			release()
		}
	}
	for _, t := range list {
		f, release, err := newFeed(st.conn, t)
		if err != nil {
			return feeds, drop, err
		}
		feeds[t], releases = f, append(releases, release)
	}
	return feeds, drop, nil
}
