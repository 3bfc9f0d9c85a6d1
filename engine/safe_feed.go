package engine

import (
	"context"

	"hindsql/tables"
)

// feeds makes a view in DuckDB's memory for each table, to insert rows from Go, until
// drop is called.
func (in *instance) feeds(list []*tables.Table) (feeds map[*tables.Table]*feed, drop func(context.Context), err error) {
	feeds = map[*tables.Table]*feed{}
	var releases []func()
	drop = func(ctx context.Context) {
		for t := range feeds {
			_ = in.exec(ctx, "DROP VIEW IF EXISTS memory.main.feed_"+t.Name)
		}
		for _, release := range releases {
			release()
		}
	}
	for _, t := range list {
		f, release, err := newFeed(in.conn, t)
		if err != nil {
			return feeds, drop, err
		}
		feeds[t], releases = f, append(releases, release)
	}
	return feeds, drop, nil
}
