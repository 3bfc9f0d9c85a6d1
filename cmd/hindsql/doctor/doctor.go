// Package doctor checks hindsql's state, and says how to repair faults.
//
// The input is a session, the folders and files of the command line, and the places of
// agents. The output is findings, as values and as text. The package repairs nothing.
package doctor

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/register"
	"hindsql/cmd/hindsql/agents/skills"
	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/internal/atomicfile"
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/readers"
	"hindsql/tables/prices"
)

// State is the state of a checked thing.
type State string

// The states of a checked thing.
const (
	OK     State = "ok"
	Look   State = "look"   // works, but the user should know or do something
	Broken State = "broken" // doesn't work until the user repairs it
)

// Finding is the result of one check.
type Finding struct {
	State State
	About string
	What  string
	Do    string // what the user can do; empty: nothing
}

// IsBroken reports whether any finding is Broken.
func IsBroken(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.State == Broken })
}

// Write writes a line for each finding, with advice below. In formats for machines it
// writes a row for each.
func Write(to *term.Output, found []Finding) error {
	if !to.ForPeople() {
		set := result.Set{Columns: result.Columns("state VARCHAR", "about VARCHAR", "what VARCHAR", "do VARCHAR")}
		for _, f := range found {
			row := []any{string(f.State), f.About, f.What, nil}
			if f.Do != "" {
				row[3] = f.Do
			}
			set.Rows = append(set.Rows, row)
		}
		return to.Set(set)
	}
	widest := 0
	for _, f := range found {
		widest = max(widest, len(f.About))
	}
	return term.WriteEscaped(to.Writer, "table", func(w io.Writer) error { // keeps colours
		for i, f := range found {
			if next := i + 1; next < len(found) && found[next].About == f.About && found[next].Do == f.Do {
				f.Do = "" // once, below the last of several
			}
			if _, err := fmt.Fprintln(w, f.text(to.Options, widest)); err != nil {
				return err
			}
		}
		return nil
	})
}

// text returns a finding for people: its mark, its subject padded to the width wide,
// the result, and the advice on the next line.
func (f *Finding) text(o term.Options, wide int) string {
	mark := markOf(f.State, o)
	lead := len([]rune(mark.plain)) + 1
	text := fmt.Sprintf("%-*s  ", wide, f.About) + term.Wrap(f.What, o.Width-lead, wide+2)
	if f.Do != "" {
		text += "\n" + strings.Repeat(" ", wide+2) + "→ " + term.Wrap(f.Do, o.Width-lead, wide+4)
	}
	return mark.shown + " " + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", lead))
}

// mark is the sign before a finding: plain without colour, to measure its width, and
// shown as printed.
type mark struct{ plain, shown string }

func markOf(s State, o term.Options) mark {
	if o.Width == 0 { // not a terminal
		return mark{"broken", fmt.Sprintf("%-6s", s)}
	}
	sign, color := "✓", "\x1b[32m"
	switch s {
	case Look:
		sign, color = "!", "\x1b[1m"
	case Broken:
		sign, color = "✗", "\x1b[31m"
	}
	if !o.Color {
		return mark{sign, sign}
	}
	return mark{sign, color + sign + "\x1b[0m"}
}

// Worker reports whether SQL of others can run on this machine, and which locks the
// operating system puts on the worker.
func Worker(ctx context.Context) Finding {
	locks, err := engine.Locks(ctx)
	if err != nil {
		what, next, _ := strings.Cut(err.Error(), "; ")
		return Finding{Broken, "worker", what, next}
	}
	return lockFinding(locks)
}

func lockFinding(locks []engine.Lock) Finding {
	var holds, missing []string
	for _, lock := range locks {
		if lock.Missing == "" {
			holds = append(holds, lock.Name)
		} else {
			missing = append(missing, lock.Name+": "+lock.Missing)
		}
	}
	f := Finding{OK, "worker", "SQL of others runs in a process of its own", ""}
	switch {
	case holds != nil:
		f.What += ", which the system keeps from " + strings.Join(holds, ", ")
	case missing == nil:
		f.What += "; this system has no more locks for it"
	}
	if missing != nil {
		f.State, f.Do = Look, "Linux 6.7 and later has all of these, unless it was built or started without"
		f.What += "; not from " + strings.Join(missing, ", ")
	}
	return f
}

// Queries reports how many saved queries the user has in folder. wrong is the error
// about faulty files of queries and reports, with a line for each; nil if all are
// valid.
func Queries(saved []*queries.Query, wrong error, folder, home string) (found []Finding) {
	mine := 0
	for _, q := range saved {
		if q.Path != "" {
			mine++
		}
	}
	if wrong == nil {
		if mine > 0 {
			found = append(found, Finding{OK, "queries", fmt.Sprintf("%d of your own in %s", mine, atomicfile.Short(home, folder)), ""})
		}
		return found
	}
	for line := range strings.SplitSeq(wrong.Error(), "\n") {
		found = append(found, Finding{Broken, "queries", atomicfile.Short(home, line), "mend the file, or move it away"})
	}
	return found
}

// Prices reports the price list in use for cost estimates, and its age. home is shown
// as ~.
func Prices(path, home string) Finding {
	if path == "" {
		day, from := prices.BuiltInDate()
		return Finding{OK, "prices", fmt.Sprintf("the built-in list of %s (%s); hindsql prices lists it", day.Format(time.DateOnly), from), ""}
	}
	file, err := prices.Inspect(path)
	if err != nil {
		return Finding{Broken, "prices", err.Error(), "mend the file, or save another one in its place"}
	}
	return Finding{OK, "prices", fmt.Sprintf("%s, of %s, with prices of %d models", atomicfile.Short(home, path), onDay(file.ModifiedAt), file.Models), ""}
}

// Servers lists the agents that start the MCP server, and checks that the registered
// programs exist.
func Servers(in *agents.Machine) (found []Finding) {
	might := false
	for _, p := range in.Servers(in.Readers, "") {
		might = might || in.IsUsed(p.Agent)
		switch {
		case p.Present:
			found = append(found, lookAtServer(in, p))
		case p.Err != nil && (p.Project || in.IsUsed(p.Agent)):
			found = append(found, Finding{Look, "mcp", p.Title() + ": its settings can't be read: " + in.ShortIn(p.Err.Error()), ""})
		}
	}
	if found == nil && might {
		return []Finding{{OK, "mcp", "no agent is told of hindsql mcp", "hindsql mcp install tells them"}}
	}
	return found
}

func lookAtServer(in *agents.Machine, p register.Place) Finding {
	file := " (" + in.Short(p.Path) + ")"
	if p.Line == nil {
		return Finding{OK, "mcp", p.Title() + " has a server of that name that is no program" + file, ""}
	}
	f := Finding{OK, "mcp", p.Title() + " starts " + register.Shell(p.Line) + file, ""}
	if _, err := exec.LookPath(p.Line[0]); err != nil {
		f = Finding{Look, "mcp", f.What + ", which is not there", "hindsql mcp install --agent " + p.Agent.Agent}
		if p.Project {
			f.Do += " --scope project"
		}
	}
	return f
}

// Skills lists the installed skills.
func Skills(in *agents.Machine) (found []Finding) {
	installed, err := in.Installed()
	if err != nil {
		return []Finding{{Look, "skills", err.Error(), ""}}
	}
	f := Finding{OK, "skills", "", ""}
	for _, p := range installed {
		if p.State == skills.Foreign {
			continue
		}
		if f.What != "" {
			f.What += "; "
		}
		f.What += in.Short(filepath.Dir(p.Path)) + ": " + string(p.State)
		if p.State == skills.Stale {
			f.State, f.Do = Look, "hindsql skill install brings them up to date, with --scope project those of this repository"
		}
	}
	if f.What == "" {
		return nil
	}
	return []Finding{f}
}

// lookAtRetention reports how many days each agent keeps logs, and when it will delete
// the oldest.
func lookAtRetention(ctx context.Context, v *term.View, list []*readers.Reader, places []engine.PlaceReport) (found []Finding, err error) {
	for _, r := range list {
		for _, p := range places {
			if p.Agent != r.Agent || p.Files == 0 || r.Retention == nil {
				continue
			}
			kept, err := r.Retention(p.Path)
			if err != nil {
				found = append(found, Finding{Look, r.Agent, "its settings can't be read: " + err.Error(), ""})
				continue
			}
			set, err := v.Collect(ctx, "SELECT min(modified_at) FROM sources WHERE agent = $agent AND gone_at IS NULL AND starts_with(path, $root)",
				map[string]any{"agent": r.Agent, "root": p.Path + string(filepath.Separator)})
			if err != nil {
				return nil, err
			}
			oldest, ok := set.Rows[0][0].(time.Time)
			if !ok {
				continue
			}
			f := Finding{OK, r.Agent, fmt.Sprintf("deletes logs after %d days (%s in %s); the oldest, of %s, on %s",
				kept.Days, kept.Setting, atomicfile.Short(v.Home, kept.File), onDay(oldest), onDay(oldest.AddDate(0, 0, kept.Days))), ""}
			if !kept.Set {
				f.State = Look
				f.Do = fmt.Sprintf("their rows stay here; to keep the logs too, add %q: 3650 to %s", kept.Setting, atomicfile.Short(v.Home, kept.File))
			}
			found = append(found, f)
		}
	}
	return found, nil
}

// lookAtMoves reports the logs of this machine that moved since they were first loaded.
// A name with bytes that aren't UTF-8 doesn't show whether its log moved.
func lookAtMoves(ctx context.Context, v *term.View) (found []Finding, err error) {
	machine := v.Session.Store().Machine()
	set, err := v.Collect(ctx, "SELECT agent, path, source_id FROM sources WHERE gone_at IS NULL AND part IS NULL AND machine = $machine AND NOT contains(path, '\uFFFD')",
		map[string]any{"machine": machine})
	if err != nil {
		return nil, err
	}
	moved := 0
	for _, row := range set.Rows {
		agent, _ := row[0].(string)
		path, _ := row[1].(string)
		if id, _ := row[2].(int64); engine.HasMoved(agent, machine, path, id) {
			moved++
		}
	}
	if moved > 0 {
		found = append(found, Finding{OK, "moved", words.Quantity(moved, "log") + " of " + words.Int(int64(len(set.Rows))) + " moved since they were first loaded; their sessions are the same", ""})
	}
	return found, nil
}

// lookAtLogs reports missing, unreadable and damaged logs.
func lookAtLogs(ctx context.Context, v *term.View) (found []Finding, err error) {
	set, err := v.Collect(ctx, `SELECT count(*) FILTER (part IS NULL), count(*) FILTER (gone_at IS NOT NULL AND part IS NULL),
		count(*) FILTER (unread_since IS NOT NULL), min(unread_since), (SELECT count(*) FROM problems WHERE NOT starts_with(what, $loss)),
		count(*) FILTER (part = $trimmed) FROM sources`, map[string]any{"loss": engine.LossText, "trimmed": engine.TrimmedPart})
	if err != nil {
		return nil, err
	}
	count := func(i int) int64 { n, _ := set.Rows[0][i].(int64); return n }
	if n := count(1); n > 0 {
		found = append(found, Finding{OK, "gone", words.Quantity(n, "log") + " of " + words.Int(count(0)) + " are gone from disk; their rows stay", "hindsql prune drops them, for good"})
	}
	if n := count(5); n > 0 {
		found = append(found, Finding{OK, "trimmed", words.Quantity(n, "log") + " of prompts lost lines at the beginning, because the agent trims them; their prompts stay", "hindsql prune drops them, for good"})
	}
	shorter, err := v.Collect(ctx, "SELECT path, what FROM problems WHERE starts_with(what, $loss) ORDER BY ALL", map[string]any{"loss": engine.LossText})
	if err != nil {
		return nil, err
	}
	for _, row := range shorter.Rows {
		path, _ := row[0].(string)
		what, _ := row[1].(string)
		found = append(found, Finding{Look, "shorter", atomicfile.Short(v.Home, path) + " " + what, "a program or a person cut lines out of it; lines put back have their rows again"})
	}
	if n := count(2); n > 0 {
		since, _ := set.Rows[0][3].(time.Time)
		found = append(found, Finding{Look, "unread", words.Quantity(n, "log") + " can't be read since " + onDay(since) + "; the rows are those of before",
			`hindsql "SELECT path, unread_since FROM sources WHERE unread_since IS NOT NULL" names them; look at their permissions, and whether their disk answers`})
	}
	if n := count(4); n > 0 {
		found = append(found, Finding{Look, "problems", words.Quantity(n, "problem") + ": lines or files that could not be read, or not wholly", v.Words[ask.SeeProblems] + " shows them"})
	} else if count(0) > 0 && len(shorter.Rows) == 0 {
		found = append(found, Finding{OK, "problems", "none", ""})
	}
	return found, nil
}

// lookAtRuns reports the last run of each installed report, and whether it failed.
func lookAtRuns(ctx context.Context, v *term.View) (found []Finding, err error) {
	set, err := v.Collect(ctx, `SELECT name, arg_max(status, started_at), arg_max(error, started_at), max(started_at) FROM report_runs GROUP BY name ORDER BY name`, nil)
	if err != nil {
		return nil, err
	}
	for _, row := range set.Rows {
		name, _ := row[0].(string)
		status, _ := row[1].(string)
		why, _ := row[2].(string)
		at, _ := row[3].(time.Time)
		f := Finding{OK, "report", fmt.Sprintf("%s ran at %s: %s", name, words.Moment(at), status), ""}
		if status == "failed" {
			f = Finding{Look, "report", f.What + ": " + why, "hindsql report run " + name + " shows whether it still does"}
		}
		found = append(found, f)
	}
	return found, nil
}

// onDay formats a day for people.
func onDay(t time.Time) string { return t.Format(time.DateOnly) }
