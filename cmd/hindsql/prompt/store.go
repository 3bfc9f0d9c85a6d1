package prompt

import (
	"context"
	"time"
)

// Opener opens stores.
type Opener interface {
	// Open switches the View to the store at a path. It creates the store if missing. If
	// Open fails, the View stays unchanged.
	Open(ctx context.Context, path string) error
}

// opens says why a command can't open a store; empty if it can.
func opens(c *Config) string {
	switch {
	case c.Safe:
		return acts(c)
	case c.Opener == nil:
		return "not with the sample; start hindsql with --store FILE"
	}
	return ""
}

func storeCommands() []command {
	return []command{
		{name: ".open", args: "FILE", help: "go on with another store, as hindsql --store FILE does", run: byRunner(openStore), complete: paths, needs: opens},
	}
}

func openStore(ctx context.Context, r *runner, args string) error {
	list := wordsOf(args)
	if len(list) != 1 {
		return usage(".open")
	}
	ctx, stop := r.interruptible(ctx)
	defer stop()
	proposed := r.View.Words
	if err := r.Opener.Open(ctx, r.long(list[0])); err != nil {
		return err
	}
	r.View.Words = proposed
	r.last = ""
	r.synced = time.Now()
	return nil
}
