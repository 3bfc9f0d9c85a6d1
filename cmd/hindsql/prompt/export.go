package prompt

import (
	"context"

	"hindsql/cmd/hindsql/term"
)

func exportCommands() []command {
	return []command{{
		name: ".export", args: "DIR [--option …]", help: "write the tables to files, as hindsql export does",
		run: byRunner(exportTables), complete: paths, needs: exports,
	}, {
		name: ".copy", args: "TABLE|(QUERY) TO FILE [(OPTIONS)]", help: "write a table or a query to a file with DuckDB's COPY; also TO STDOUT, TO PROGRAM 'COMMAND', and FROM FILE into a table of yours",
		aliases: []string{`\copy`}, run: byRunner(copyRows), needs: acts, whole: true,
	}}
}

func exports(c *Config) string {
	if c.Exporter == nil {
		return "not with --safe"
	}
	return ""
}

func exportTables(ctx context.Context, r *runner, args string) error {
	list := wordsOf(args)
	if len(list) == 0 {
		return usage(".export")
	}
	return r.show(ctx, func(ctx context.Context, to *term.Output) error { return r.Exporter.Export(ctx, to, list) })
}
