package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
	"hindsql/engine/redact"
)

// safeFlags say that SQL of other people's runs, and what it may see.
type safeFlags struct {
	safe     bool
	projects []string
	redact   bool
}

func (s *safeFlags) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&s.safe, "safe", false, "run SQL that you didn't write: only queries, on a copy of the rows, without files, network and settings")
	flags.StringArrayVar(&s.projects, "project", nil, "with --safe: only what happened in `FOLDER`, a path or a folder's name; repeat for several")
	flags.BoolVar(&s.redact, "redact", false, "with --safe: replace secrets in all texts with [redacted:RULE]")
}

// check refuses flags that mean nothing by themselves. ofQuery says that a saved
// query is run, whose parameter --project may be.
func (s *safeFlags) check(ofQuery bool) error {
	switch {
	case s.safe:
		return nil
	case len(s.projects) > 0 && !ofQuery:
		return usagef("--project: a scope holds with --safe only; saved queries have project=…")
	case s.redact:
		return usagef("--redact: only with --safe, and in hindsql export")
	}
	return nil
}

// bounds are what the engine is opened with; nil without --safe.
func (a *app) bounds() (*engine.Safe, error) {
	if !a.confine.safe {
		return nil, nil
	}
	bounds := &engine.Safe{Time: a.safeTime}
	for _, p := range a.confine.projects {
		folders, err := a.projectFolders(p)
		if err != nil {
			return nil, err
		}
		bounds.Projects = append(bounds.Projects, folders...)
	}
	if a.confine.redact {
		bounds.Redact = redact.New().Redact
	}
	return bounds, nil
}

// projectFolders is a name as it is, and a path as logs have it.
func (a *app) projectFolders(project string) ([]string, error) {
	if !strings.ContainsAny(project, `/\~.`) {
		return []string{project}, nil
	}
	path, err := filepath.Abs(a.long(project))
	if err != nil {
		return nil, err
	}
	return a.repositoryFolders(path), nil
}

// tellScope says so when nothing is in scope.
func (a *app) tellScope(ctx context.Context, v *show.View) error {
	if len(a.confine.projects) == 0 {
		return nil
	}
	set, err := v.Collect(ctx, "SELECT 1 FROM sessions LIMIT 1", nil)
	if err == nil && len(set.Rows) == 0 {
		a.notice("--project %s: no session ran there", strings.Join(a.confine.projects, " --project "))
	}
	return err
}
