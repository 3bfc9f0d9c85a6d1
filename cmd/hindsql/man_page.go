package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/man"
	"hindsql/internal/roff"
)

// manPage returns a command's manual page.
func manPage(w *world, c *cobra.Command, date time.Time) string {
	page := man.Page{Date: date, Version: buildVersion()}
	if !c.HasParent() {
		page.End = func(p *roff.Page) { manEnd(w, p) }
	}
	return page.Of(c)
}

// manEnd writes the sections that only hindsql's own page has.
func manEnd(w *world, p *roff.Page) {
	p.Section("EXIT STATUS")
	for _, e := range []struct {
		code int
		when string
	}{
		{exitOK, "all is well"},
		{exitFailed, "an error in the SQL, or of the system"},
		{exitUsage, "wrong usage"},
		{exitAlert, "the condition of a report, or of hindsql run NAME --alert, holds"},
		{exitHeld, "another program writes to the store"},
		{exitInterrupted, "interrupted with Ctrl-C"},
	} {
		p.Item(fmt.Sprint(e.code), e.when)
	}
	// The places of a user without settings, on any build machine.
	user := &world{who: who{os: w.os, home: "~"}, variables: variables{getenv: func(string) string { return "" }}}
	store, _ := storePath(user, &where{}) // home is set, so no error
	p.Section("ENVIRONMENT")
	p.Item("HINDSQL_STORE", "the file of the store")
	p.Item(sampleDay, "the last day of the sample, such as 2026-10-22, in place of yesterday")
	p.Item("HINDSQL_PAGER, PAGER", "what shows results that are longer than the terminal; cat, or nothing, for none")
	p.Item("HINDSQL_TOKEN", "the token of hindsql mcp --http, in place of one that is made")
	p.Item("NO_COLOR", "set to anything, there are no colours")
	p.Item("VISUAL, EDITOR", "the editor of the prompt")
	p.Section("FILES")
	p.Item(store, "the rows that were loaded, a DuckDB file; $HINDSQL_STORE or --store names another, $XDG_DATA_HOME the folder of its folder")
	p.Item(queriesFolder(user), "saved queries of your own, NAME.sql; below $XDG_CONFIG_HOME where that is set")
	p.Item(user.configured("reports"), "reports of your own, NAME.toml")
	p.Item(historyPath(user), "what was typed at the prompt; below $XDG_STATE_HOME where that is set")
}
