package prompt

import (
	"context"
	"fmt"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
	"hindsql/internal/words"
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
		{name: ".databases", help: "list the databases that are attached", aliases: []string{`\l`}, run: byRunner(listDatabases)},
		{name: ".store", help: "show which store is open, and how old its rows are", aliases: []string{`\conninfo`}, run: byRunner(showStore)},
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
	r.forget()
	r.synced = time.Now()
	return nil
}

func listDatabases(ctx context.Context, r *runner, _ string) error {
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		return r.View.Query(ctx, to, ask.Statement{SQL: "SELECT database_name AS name, type, path, readonly FROM duckdb_databases() WHERE NOT internal ORDER BY name"})
	})
}

func showStore(ctx context.Context, r *runner, _ string) error {
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		loaded, err := r.View.Loaded(ctx)
		if err != nil {
			return err
		}
		age := "never looked at the logs"
		if at := r.View.Session.Store().SyncedAt(); !at.IsZero() {
			age = "the logs as of " + at.Format(time.DateTime)
		}
		_, err = fmt.Fprintf(to, "%s: %s from %s; %s\n", atomicfile.Short(r.View.Home, r.View.Store), words.Quantity(loaded.Messages, "message"), words.Quantity(loaded.Files, "log"), age)
		return err
	})
}
