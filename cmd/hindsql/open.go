package main

import (
	"cmp"
	"context"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/term"
)

// opener is the prompt's .open.
type opener struct {
	world *world
	from  *where
	view  *term.View
	first *term.View // the original View; nil before .open
}

// opens returns the opener; nil on the sample, because the sample's logs must not get
// into a store of the user's, and nil with --safe.
func (o *opener) opens() prompt.Opener {
	if o.from.sample == sampleAlways || o.from.confine.safe {
		return nil
	}
	return o
}

// Open opens the store and syncs it, like a start with --store.
func (o *opener) Open(ctx context.Context, path string) error {
	config, err := ownConfig(o.world, o.from)
	if err != nil {
		return err
	}
	if config, err = identified(o.world, config); err != nil {
		return err
	}
	config.Store = path
	source, err := ask.Open(ctx, config, savedOf(o.world))
	if err != nil {
		return err
	}
	next := *o.view
	next.Store = path
	if next.Session, err = source.Session(ctx); err != nil {
		return cmp.Or(err, source.Close())
	}
	if !o.from.noSync {
		_, err = next.Sync(ctx, false)
	}
	if err != nil {
		return cmp.Or(err, next.Session.Close(), source.Close())
	}
	o.close()
	before := *o.view
	o.first = &before
	*o.view = next
	return nil
}

// close closes the store opened by Open, and restores the original View. The opener of
// the original View closes the original.
func (o *opener) close() {
	if o.first == nil {
		return
	}
	_ = cmp.Or(o.view.Session.Close(), o.view.Session.Source().Close())
	*o.view = *o.first
	o.first = nil
}
