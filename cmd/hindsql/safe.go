package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/engine/redact"
)

// confine holds the flags for running SQL of other people, and for the projects that
// the SQL may see.
type confine struct {
	safe     bool
	projects []string
	redact   bool

	// Only set for mails.
	public bool          // private projects are left out
	time   time.Duration // of a statement; 0 for the usual
}

func (c *confine) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&c.safe, "safe", false, "run SQL that you didn't write: only queries, on a copy of the rows, without files, network and settings")
	flags.StringArrayVar(&c.projects, "project", nil, "with --safe: only what happened in `FOLDER`, a path or a folder's name; repeat for several")
	tries(flags, "project", "shop-api", "~")
	flags.BoolVar(&c.redact, "redact", false, "with --safe: replace secrets in all texts with [redacted:RULE]")
}

// check returns an error for flags without effect. ofQuery is set if a saved query
// runs. --project may then be a parameter of the query. ofReport is set if a report goes by
// mail or runs on a schedule: it redacts without --safe.
func (c *confine) check(ofQuery, ofReport bool) error {
	switch {
	case c.safe || ofReport:
		return nil
	case len(c.projects) > 0 && !ofQuery:
		return usagef("--project: a scope holds with --safe only; saved queries have project=…")
	case c.redact:
		return usagef("--redact: only with --safe, and in hindsql export")
	}
	return nil
}

// safeBounds returns the engine's limits; nil without --safe.
func safeBounds(w *world, from *where) (*engine.Safe, error) {
	if !from.confine.safe {
		return nil, nil
	}
	bounds := &engine.Safe{Time: cmp.Or(w.safeTime, from.confine.time)}
	if from.confine.public {
		scope, err := publicScope(w)
		if err != nil {
			return nil, err
		}
		bounds.Scope = scope
	}
	for _, p := range from.confine.projects {
		folders, err := projectFolders(w, p)
		if err != nil {
			return nil, err
		}
		bounds.Projects = append(bounds.Projects, folders...)
	}
	if from.confine.redact {
		bounds.Redact = redact.New().Redact
	}
	return bounds, nil
}

// projectFolders returns what --project means: a plain name is returned unchanged, and
// a path becomes all paths of the folder.
func projectFolders(w *world, project string) ([]string, error) {
	if !strings.ContainsAny(project, `/\~.`) {
		return []string{project}, nil
	}
	path, err := filepath.Abs(w.long(project))
	if err != nil {
		return nil, err
	}
	return ask.Under(w.home, path), nil
}

// tellScope tells the user if no session ran in the projects of --project.
func tellScope(ctx context.Context, w *world, from *where, v *term.View) error {
	if len(from.confine.projects) == 0 {
		return nil
	}
	set, err := v.Collect(ctx, "SELECT 1 FROM sessions LIMIT 1", nil)
	if err == nil && len(set.Rows) == 0 {
		v.Tell(ask.Notice{Kind: ask.Empty, Subject: fmt.Sprintf("--project %s: no session ran there", strings.Join(from.confine.projects, " --project "))})
	}
	return err
}
