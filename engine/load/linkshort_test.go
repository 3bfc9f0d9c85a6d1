package load

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/engine/duck"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// TestShortStepRunsAgainAlone: a link step that falls short of memory runs again with
// twice the memory, and the rows of the steps before stay.
func TestShortStepRunsAgainAlone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := openLinkDesk(t)
	first := tables.Link{Name: "first", Parts: []tables.LinkPart{{SQL: "INSERT INTO pending_links VALUES (7)"}}}
	// DuckDB keeps a list in memory while it grows.
	large := tables.Link{Name: "large", Parts: []tables.LinkPart{{SQL: "INSERT INTO pending_links SELECT len(list(i)) FROM range(4_000_000) r(i)"}}}
	const limit = 24_000_000
	d.memory = limit
	d.run(fmt.Sprintf("SET memory_limit = '%d KB'", limit/1000))
	d.links.commits = true
	d.work("steps", func(ctx context.Context) error {
		return errors.Join(d.links.run(ctx, first), d.links.run(ctx, large))
	})
	if d.memory < 2*limit || d.raisedTo != d.memory {
		t.Errorf("the limit is %d, and remembered as %d, after a step that needs more than %d", d.memory, d.raisedTo, limit)
	}
	got, err := duck.Column[int64](ctx, d.conn, "FROM pending_links ORDER BY ALL")
	if err != nil || fmt.Sprint(got) != "[7 4000000]" {
		t.Error(got, err)
	}
}

// TestLinkCutOff: a process may die after any link step of a link that commits each
// step. The next link then gives the rows of a clean load.
func TestLinkCutOff(t *testing.T) {
	t.Parallel()
	paths, d := linkCases(t)
	steps := tables.Links()
	for i, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			whole.Most(t, i, 20, "cuts off the link of each case, after four steps")
			d.t, d.clean.t = t, t
			c := readLinkCase(t, path)
			for n := 1; n < len(steps); n++ {
				if (n+i)%whole.Or(5, 10) == 0 {
					c.runCutOff(t, d, steps[:n])
				}
			}
		})
	}
}

// runCutOff goes through the case. Before each link it runs only some steps.
func (c *linkCase) runCutOff(t *testing.T, d *linkDesk, steps []tables.Link) {
	t.Helper()
	d.empty()
	have := map[string]linkChange{}
	for _, stage := range c.stages {
		for _, change := range stage.changes {
			if d.apply(change); change.isGone || change.pruned {
				delete(have, change.name)
			} else {
				have[change.name] = change
			}
		}
		d.links.commits = true
		d.work("some steps", func(ctx context.Context) error {
			for _, step := range steps {
				if err := d.links.run(ctx, step); err != nil {
					return err
				}
			}
			return nil
		})
		d.links.commits = false
		d.linkNow()
	}
	for _, stage := range c.stages {
		for _, change := range stage.changes {
			if change.isGone {
				return // the store may keep what a step took from the log
			}
		}
	}
	d.wantLike(t, d.cleanDump(have), "a clean load", fmt.Sprintf("%s, cut off after %s", c.path, steps[len(steps)-1].Name))
}
