package load

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"hindsql/internal/whole"
	"hindsql/tables"
)

// casesOfLinks are the cases of the steps in tables/resolve. A file is named after its
// step; if a step has several files, a dot and the subject follow.
const casesOfLinks = "../../tables/resolve/testdata/*.txtar"

var update = flag.Bool("update", false, "rewrite the cases of links; look at the difference before you commit it")

// linkCases returns the paths of the cases of links, and a desk with a second one for
// clean loads.
func linkCases(t *testing.T) (paths []string, d *linkDesk) {
	t.Helper()
	paths, err := filepath.Glob(casesOfLinks)
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	d = openLinkDesk(t)
	d.clean = openLinkDesk(t)
	return paths, d
}

// TestLinks runs the cases of the link steps. A case is a txtar archive. Its sections
// are, in order:
//
//	-- s.jsonl --          a log and its rows, see linkLog; once more: its new rows
//	-- desk:s.jsonl --     a log of another machine
//	-- gone s.jsonl --     the log is no longer found
//	-- pruned s.jsonl --   the log's rows are dropped
//	-- want --             questions, each ended by a semicolon, with its rows below
//
// A line "log t.jsonl" in a section begins another log, which always comes with the
// first.
//
// The logs before a want are loaded one after the other, and then linked. The questions
// must then return their rows. In the end all tables must equal a clean load of the
// same logs. The exception is a gone log: the store may keep what a step took from the
// log. Linking all logs again must change nothing. Each case also runs in the ways of
// linkWays, which link each log before the next log is loaded. The rows must be the
// same.
func TestLinks(t *testing.T) {
	t.Parallel()
	paths, d := linkCases(t)
	steps := map[string]bool{}
	for i, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		step, _, _ := strings.Cut(name, ".")
		steps[step] = true
		t.Run(name, func(t *testing.T) {
			whole.Most(t, i, 9, "links the cases of each step")
			c := readLinkCase(t, path)
			c.run(t, d, linkWay{name: "at once", atOnce: true})
			c.update()
			t.Run("other ways", func(t *testing.T) {
				whole.Test(t, "the same rows, by a link after each log, and in another order")
				for _, way := range linkWays {
					c.run(t, d, way)
				}
			})
		})
	}
	for _, step := range tables.Links() {
		if !steps[step.Name] && step.Name != "0-begin" { // the cases of the other steps cover it
			t.Errorf("tables/resolve/%s.sql has no case in tables/resolve/testdata", step.Name)
		}
		delete(steps, step.Name)
	}
	for name := range steps {
		t.Errorf("there is no step %s", name)
	}
}

// linkWay is a way to load the logs between two wants.
type linkWay struct {
	name             string
	reversed, atOnce bool
	each             bool // compares with a clean load after each link
}

var linkWays = []linkWay{{name: "in order", each: true}, {name: "in reverse", reversed: true, each: true}}

// linkCase is a case, parsed.
type linkCase struct {
	path    string
	archive *txtar.Archive
	stages  []linkStage
}

// linkStage is the part of a case up to a want.
type linkStage struct {
	changes []linkChange
	wants   []*linkWant
	section int // place of the want in the archive
}

// linkChange is a change of logs.
type linkChange struct {
	name, text     string
	logs           []*linkLog
	isGone, pruned bool
}

// linkWant is a question (a query) in a want, with the expected rows.
type linkWant struct {
	query string
	rows  []string
	isNew bool // rows holds the answer of this run, see update
}

func readLinkCase(t *testing.T, path string) *linkCase {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &linkCase{path: path, archive: archive}
	var stage linkStage
	for i, f := range archive.Files {
		words := strings.Fields(f.Name)
		switch {
		case f.Name == "want":
			stage.wants, stage.section = parseWants(string(f.Data)), i
			c.stages = append(c.stages, stage)
			stage = linkStage{}
		case len(words) == 2:
			stage.changes = append(stage.changes, linkChange{name: words[1], logs: newLinkLogs(t, words[1], ""), isGone: words[0] == "gone", pruned: words[0] == "pruned"})
		default:
			text := string(f.Data)
			stage.changes = append(stage.changes, linkChange{name: f.Name, text: text, logs: newLinkLogs(t, f.Name, text)})
		}
	}
	if len(archive.Comment) == 0 || len(c.stages) == 0 || len(stage.changes) > 0 {
		t.Fatalf("%s: a case says what it shows, and ends with what it wants", path)
	}
	return c
}

func parseWants(text string) (list []*linkWant) {
	var query string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
		case query == "" && len(list) > 0 && !strings.HasPrefix(line, "SELECT ") && !strings.HasPrefix(line, "FROM "):
			list[len(list)-1].rows = append(list[len(list)-1].rows, line)
		default:
			query += line + "\n"
			if strings.HasSuffix(line, ";") {
				list, query = append(list, &linkWant{query: query}), ""
			}
		}
	}
	return list
}

// run goes through the case in one way.
func (c *linkCase) run(t *testing.T, d *linkDesk, way linkWay) {
	t.Helper()
	d.t, d.clean.t = t, t
	d.empty()
	have := map[string]linkChange{} // by name, without deleted logs
	lost := map[string]bool{}
	// A quick run compares only the last stage: the first is loaded like its clean
	// load.
	compared := whole.Or(0, max(1, len(c.stages)-1))
	for i, stage := range c.stages {
		changes := slices.Clone(stage.changes)
		if way.reversed {
			slices.Reverse(changes)
		}
		for n, change := range changes {
			d.apply(change)
			switch name := change.name; {
			case change.isGone:
				delete(have, name)
				lost[name] = true
			case change.pruned:
				delete(have, name)
				delete(lost, name)
			default:
				have[name] = change
				delete(lost, name)
			}
			if way.atOnce && n < len(changes)-1 {
				continue
			}
			d.linkNow()
			if len(lost) == 0 && (way.each || n == len(changes)-1 && i >= compared) {
				when := fmt.Sprintf("%s, %s, before want %d, after %s", c.path, way.name, i+1, change.name)
				d.wantLike(t, d.cleanDump(have), "a clean load", when)
			}
		}
		when := fmt.Sprintf("%s, %s, want %d", c.path, way.name, i+1)
		for _, w := range stage.wants {
			w.check(t, d, when)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if way.reversed {
		return
	}
	before := d.dump()
	d.run("INSERT INTO pending_links SELECT source_id FROM sources")
	d.linkNow()
	d.wantLike(t, before, "before a link of all logs", c.path+", "+way.name)
}

func (w *linkWant) check(t *testing.T, d *linkDesk, when string) {
	t.Helper()
	got := d.rows(w.query)
	if *update && !w.isNew {
		w.rows, w.isNew = got, true
	}
	if diff := cmp.Diff(w.rows, got); diff != "" {
		t.Errorf("%s: %s(-want +got)\n%s", when, w.query, diff)
	}
}

// update writes the rows of this run into the case, if -update is given.
func (c *linkCase) update() {
	if !*update {
		return
	}
	for _, stage := range c.stages {
		var text strings.Builder
		for i, w := range stage.wants {
			if i > 0 {
				text.WriteString("\n")
			}
			text.WriteString(w.query)
			for _, row := range w.rows {
				text.WriteString(row + "\n")
			}
		}
		if stage.section < len(c.archive.Files)-1 {
			text.WriteString("\n")
		}
		c.archive.Files[stage.section].Data = []byte(text.String())
	}
	if err := os.WriteFile(c.path, txtar.Format(c.archive), 0o644); err != nil {
		panic(err)
	}
}
