package main

import (
	"cmp"
	"context"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/term"
)

// opener is the prompt's command .open, which switches to another store.
type opener struct {
	world *world
	from  *where
	view  *term.View
	first *term.View // a copy of the View at the start of the prompt; nil if no other store is open
}

// opens returns the opener for the prompt. It returns nil with --safe. It also returns
// nil on the sample, because the sample's logs must not get into the user's store.
func (o *opener) opens() prompt.Opener {
	if o.from.sample == sampleAlways || o.from.confine.safe {
		return nil
	}
	return o
}

// Open switches to the store at a path and syncs it, as a start with --store does.
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

// close closes the store that Open opened, and restores the View of the prompt's start.
// The first store stays open for the code that opened the store.
func (o *opener) close() {
	if o.first == nil {
		return
	}
	_ = cmp.Or(o.view.Session.Close(), o.view.Session.Source().Close())
	*o.view = *o.first
	o.first = nil
}
