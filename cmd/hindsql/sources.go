package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
	"hindsql/engine/result"
)

func (a *app) sourcesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sources",
		Short: "Show where logs are looked for, and what was loaded",
		Long: `Shows each folder that is searched, who named it (--root, a variable of the
environment, or the default), and the logs found there; then what is loaded.
Rows of logs that an agent has deleted stay until hindsql prune.`,
		Args: between(0, 0, "hindsql sources"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withSession(cmd.Context(), a.showSources)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func (a *app) showSources(ctx context.Context, s *engine.Session) error {
	cols := result.Columns("agent VARCHAR", "folder VARCHAR", "named_by VARCHAR", "found BOOLEAN", "files BIGINT", "bytes BIGINT")
	var rows [][]any
	for _, p := range s.Places() {
		rows = append(rows, []any{p.Agent, a.short(p.Path), p.From, p.Exists, int64(p.Files), p.Bytes})
	}
	err := a.writeSet(result.Set{Columns: cols, Rows: rows})
	if err != nil || !a.out.isTable() {
		return err
	}
	line, err := a.loadedLine(ctx, s)
	if err == nil {
		_, err = fmt.Fprintln(a.stdout, line)
	}
	return err
}

// countSources counts the files loaded, those gone, and sums up their bytes,
// messages and problems.
func countSources(ctx context.Context, s *engine.Session) (n [5]int64, err error) {
	const totals = `SELECT count(*), count(gone_at), coalesce(sum(size), 0)::BIGINT,
		coalesce(sum(messages), 0)::BIGINT, coalesce(sum(problems), 0)::BIGINT FROM sources`
	err = s.Query(ctx, totals, nil, func(rows *engine.Rows) error {
		for rows.Next() {
			for i, v := range rows.Values() {
				n[i], _ = v.(int64)
			}
		}
		return rows.Err()
	})
	return n, err
}

// problemsShown is how the user sees the problems.
func (a *app) problemsShown() string {
	if a.inPrompt {
		return ".problems"
	}
	return `hindsql "FROM problems"`
}

// dataQualityShown is how the user sees what is not known.
func (a *app) dataQualityShown() string {
	if a.inPrompt {
		return ".run data-quality"
	}
	return "hindsql run data-quality"
}

// newerLogs says what the logs hold that this build doesn't know; empty for
// nothing.
func newerLogs(ctx context.Context, s *engine.Session) (string, error) {
	const met = `SELECT (SELECT count(*) FROM record_kinds WHERE NOT known),
		(SELECT count(*) FROM record_fields WHERE kind <> '(version)'),
		(SELECT string_agg(agent || ' ' || field, ', ' ORDER BY agent, field) FROM record_fields WHERE kind = '(version)')`
	var parts []string
	err := s.Query(ctx, met, nil, func(rows *engine.Rows) error {
		for rows.Next() {
			values := rows.Values()
			if n, _ := values[0].(int64); n > 0 {
				parts = append(parts, render.Quantity(n, "unknown kind")+" of record")
			}
			if n, _ := values[1].(int64); n > 0 {
				parts = append(parts, render.Quantity(n, "unknown field"))
			}
			if versions, _ := values[2].(string); versions != "" {
				parts = append(parts, "newer than any tested: "+versions)
			}
		}
		return rows.Err()
	})
	return strings.Join(parts, ", "), err
}

func (a *app) loadedLine(ctx context.Context, s *engine.Session) (string, error) {
	n, err := countSources(ctx, s)
	parts := []string{fmt.Sprintf("loaded: %s, %s, %s", render.Quantity(n[0], "file"), render.Size(n[2]), render.Quantity(n[3], "message"))}
	if n[1] > 0 {
		parts = append(parts, render.Quantity(n[1], "file")+" of them gone from disk")
	}
	if n[4] > 0 {
		parts = append(parts, render.Quantity(n[4], "problem")+": "+a.problemsShown())
	}
	if err == nil {
		var met string
		if met, err = newerLogs(ctx, s); met != "" {
			parts = append(parts, met+": "+a.dataQualityShown())
		}
	}
	if info, statErr := os.Stat(a.bound.Store); statErr == nil {
		parts = append(parts, fmt.Sprintf("store: %s, %s", a.short(a.bound.Store), render.Size(info.Size())))
	}
	return strings.Join(parts, "\n"), err
}
