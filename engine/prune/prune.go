// Package prune drops rows that no log has any more, or that a person doesn't want.
//
// In: a filter. Out: what would go, and a store without it. [Forget] keeps sessions out
// for good: package forget has the list.
package prune

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/engine/forget"
	"hindsql/internal/spelling"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Filter chooses what a prune drops: all of another machine's rows (Host), or of
// this machine's logs that are gone, the rows of all sessions, or of those to which all
// further fields apply. If Forgets is set, it chooses sessions of all logs.
type Filter struct {
	Host    string // id or name of another machine
	Project string // path, or its last part
	Session string // id, or the unique beginning of an id
	Agent   string
	Before  time.Time // sessions that ended earlier
	Forgets bool
}

// Pruning is what a prune drops.
type Pruning struct {
	Sessions       []forget.Name
	Tables         []TableRows // of tables with any rows
	Last           int64       // rows of tables with copies, such as messages, without the copies
	Oldest, Newest time.Time   // zero if no row has a time
	Present        int         // sessions to which the filter applies, too, but not dropped: their logs are there, and the rows would come back
}

// TableRows is a number of rows.
type TableRows struct {
	engine.TableRows
	Copies int64 // of the rows, copies: their originals stay, or go as rows of Last
}

// Rows returns the number of all rows.
func (p *Pruning) Rows() (n int64) {
	for _, t := range p.Tables {
		n += t.Rows
	}
	return n
}

// choosesSessions reports whether the filter chooses sessions, and not whole logs.
func (f *Filter) choosesSessions() bool {
	return f.Forgets || f.Project+f.Session+f.Agent != "" || !f.Before.IsZero()
}

// sourcesCondition is the SQL condition of the sources that a prune may drop rows of.
func (f *Filter) sourcesCondition(machine string) string {
	switch {
	case f.Host != "":
		return fmt.Sprintf("machine IS DISTINCT FROM %s AND (%[2]s IN (machine, host) OR machine IN (SELECT machine FROM %[3]s.sources WHERE %[2]s IN (machine, host)))",
			sqltext.Literal(machine), sqltext.Literal(f.Host), engine.StoreSchema)
	case f.Forgets:
		return "true"
	}
	return "gone_at IS NOT NULL AND coalesce(machine, '') = " + sqltext.Literal(machine)
}

// condition is the SQL condition of rows of sessions, or of prompts.
func (f *Filter) condition(at string) string {
	all := []string{"true"}
	if f.Agent != "" {
		all = append(all, "agent = "+sqltext.Literal(f.Agent))
	}
	if f.Project != "" {
		rule := spelling.Here()
		all = append(all, fmt.Sprintf(`(%[2]s = %[1]s OR starts_with(%[2]s, %[1]s || '/') OR starts_with(%[2]s, %[1]s || '\') OR regexp_extract(%[2]s, '[^/\\]+$') = %[1]s)`,
			sqltext.Literal(rule.Fold(f.Project)), rule.SQL("project")))
	}
	if f.Session != "" {
		all = append(all, "session_id = "+sqltext.Literal(f.Session))
	}
	if !f.Before.IsZero() {
		all = append(all, at+" < "+sqltext.Timestamp(f.Before))
	}
	return strings.Join(all, " AND ")
}

// findSQL is the SQL that finds what is pruned: tables pruned_logs (sources that may lose
// rows) and pruned (sessions, with those below them if they are forgotten).
func (f *Filter) findSQL(machine string) string {
	below, more := "", ""
	if f.Forgets {
		// A history may have prompts of a session whose log hindsql never saw.
		more = fmt.Sprintf(`UNION ALL SELECT agent, session_id FROM (SELECT agent, session_id, any_value(project) AS project, max(timestamp) AS ended_at
			FROM %[1]s.prompts ANTI JOIN %[1]s.sessions USING (agent, session_id) GROUP BY ALL) WHERE %[2]s`, engine.StoreSchema, f.condition("ended_at"))
		below = fmt.Sprintf("UNION SELECT s.agent, s.session_id FROM chosen c JOIN %s.sessions s ON s.agent = c.agent AND s.parent_session_id = c.session_id", engine.StoreSchema)
	}
	return fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE pruned_logs AS SELECT source_id FROM %[1]s.sources WHERE %[2]s;
CREATE OR REPLACE TEMP TABLE pruned AS WITH RECURSIVE chosen AS (
  (SELECT agent, session_id FROM %[1]s.sessions WHERE source_id IN (FROM pruned_logs) AND %[3]s %[5]s) %[4]s)
SELECT DISTINCT agent, session_id FROM chosen WHERE session_id IS NOT NULL`, engine.StoreSchema, f.sourcesCondition(machine), f.condition("ended_at"), below, more)
}

// rowsCondition is the SQL condition of a table's rows that are pruned; empty if none
// are.
func (f *Filter) rowsCondition(t *tables.Table) string {
	switch {
	case !t.Has("source_id"):
		return ""
	case !f.choosesSessions():
		return "source_id IN (FROM pruned_logs)"
	case !t.Has("session_id") || !t.Has("agent"):
		return ""
	}
	is := "source_id IN (FROM pruned_logs) AND (agent, session_id) IN (FROM pruned)"
	if t.Name == "prompts" && f.Session == "" && !f.Forgets {
		is += " OR source_id IN (FROM pruned_logs) AND " + f.condition("timestamp")
	}
	return is
}

// Look returns what a prune would drop. It changes no row, and completes the
// filter's Session.
func Look(ctx context.Context, s *engine.Session, f *Filter) (p Pruning, err error) {
	err = s.ReadStored(ctx, func(r *engine.Reading) error {
		if err := completeSession(ctx, r, f); err != nil {
			return err
		}
		machine := s.Store().Machine()
		if err := r.Exec(ctx, f.findSQL(machine)); err != nil {
			return err
		}
		if err := countPruned(ctx, r, *f, &p); err != nil {
			return err
		}
		err := r.Each(ctx, "FROM pruned ORDER BY ALL", func(scan func(...any) error) error {
			var name forget.Name
			err := scan(&name.Agent, &name.SessionID)
			p.Sessions = append(p.Sessions, name)
			return err
		})
		if err != nil || !f.choosesSessions() {
			return err
		}
		query := fmt.Sprintf("SELECT count(DISTINCT (agent, session_id)) FROM %s.sessions WHERE source_id NOT IN (FROM pruned_logs) AND %s", engine.StoreSchema, f.condition("ended_at"))
		return r.Each(ctx, query, func(scan func(...any) error) error { return scan(&p.Present) })
	})
	return p, err
}

// completeSession makes the beginning of a session's id the whole id.
func completeSession(ctx context.Context, r *engine.Reading, f *Filter) error {
	if f.Session == "" {
		return nil
	}
	var found []string
	query := fmt.Sprintf(`WITH begins AS (SELECT DISTINCT agent, session_id, parent_session_id
			FROM (SELECT agent, session_id, parent_session_id FROM %[1]s.sessions UNION SELECT agent, session_id, NULL FROM %[1]s.prompts WHERE session_id NOT IN (SELECT session_id FROM %[1]s.sessions)) WHERE starts_with(session_id, %[2]s) AND %[3]s)
		SELECT DISTINCT session_id FROM begins WHERE session_id = %[2]s OR NOT EXISTS (FROM begins WHERE session_id = %[2]s) AND coalesce(parent_session_id, '') NOT IN (SELECT session_id FROM begins)`,
		engine.StoreSchema, sqltext.Literal(f.Session), (&Filter{Agent: f.Agent}).condition(""))
	err := r.Each(ctx, query, func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		found = append(found, id)
		return err
	})
	switch {
	case err != nil:
	case len(found) == 0:
		return engine.NotOne("--session " + f.Session + ": no session's id begins so; hindsql sessions lists them")
	case len(found) > 1:
		return engine.NotOne(fmt.Sprintf("--session %s: %d sessions' ids begin so; give more of the id", f.Session, len(found)))
	default:
		f.Session = found[0]
	}
	return err
}

// countPruned counts the rows of each table that a prune drops.
func countPruned(ctx context.Context, r *engine.Reading, f Filter, p *Pruning) error {
	var times []string
	for _, t := range tables.Loaded() {
		is := f.rowsCondition(t)
		if is == "" || t.Internal {
			continue
		}
		n, isCopy := TableRows{TableRows: engine.TableRows{Table: t.Name}}, "false"
		if t.HasCopies() {
			isCopy = "is_copy"
		}
		query := fmt.Sprintf("SELECT count(*), count(*) FILTER (%s) FROM %s.%s WHERE %s", isCopy, engine.StoreSchema, t.Name, is)
		if err := r.Each(ctx, query, func(scan func(...any) error) error { return scan(&n.Rows, &n.Copies) }); err != nil {
			return err
		}
		if t.HasCopies() {
			p.Last += n.Rows - n.Copies
		}
		if n.Rows > 0 {
			p.Tables = append(p.Tables, n)
		}
		if t.Name == "messages" || t.Name == "prompts" {
			times = append(times, fmt.Sprintf("SELECT timestamp FROM %s.%s WHERE %s", engine.StoreSchema, t.Name, is))
		}
	}
	return r.Each(ctx, "SELECT min(timestamp), max(timestamp) FROM ("+strings.Join(times, " UNION ALL ")+")", func(scan func(...any) error) error {
		var oldest, newest sql.NullTime
		err := scan(&oldest, &newest)
		p.Oldest, p.Newest = oldest.Time, newest.Time
		return err
	})
}

// Run drops the rows of files that are no longer on the disk, and returns the numbers of
// dropped files and rows. The store keeps these rows until then, because agents delete
// old logs. Rows of other machines stay. With a Host, Run drops only rows of the other
// machine, and all of them. If the filter chooses sessions, a file is dropped if no
// session of it is left; the filter's Session is a whole id. For a filter that forgets,
// see [Forget].
func Run(ctx context.Context, st *engine.Store, f Filter) (files int, rows int64, err error) {
	if has, err := st.HasRows(ctx); err != nil || !has {
		return 0, 0, err
	}
	err = st.Write(ctx, func(w *engine.Writer) error {
		files, rows, err = drop(ctx, w, &f, st.Machine())
		return err
	})
	return files, rows, err
}

func drop(ctx context.Context, w *engine.Writer, f *Filter, machine string) (files int, rows int64, err error) {
	if _, err := w.Exec(ctx, f.findSQL(machine)); err != nil {
		return 0, 0, err
	}
	gone, err := w.Sources(ctx, "source_id IN (FROM pruned_logs)")
	if err != nil || len(gone) == 0 {
		return 0, 0, err
	}
	for _, t := range tables.Loaded() {
		if is := f.rowsCondition(t); is != "" {
			err := w.Each(ctx, fmt.Sprintf("SELECT count(*) FROM %s WHERE %s", t.Name, is), func(scan func(...any) error) error {
				var n int64
				err := scan(&n)
				rows += n
				return err
			})
			if err != nil {
				return 0, 0, err
			}
		}
	}
	if f.choosesSessions() {
		if gone, err = dropSessions(ctx, w, f); err != nil {
			return 0, 0, err
		}
	}
	// Sources that share messages with the dropped sources are linked anew.
	if err := w.Remove(ctx, gone); err != nil {
		return 0, 0, err
	}
	return len(gone), rows, w.Link(ctx, nil)
}

// dropSessions drops the rows of some sessions. It returns the sources that lost their
// last session or prompt.
func dropSessions(ctx context.Context, w *engine.Writer, f *Filter) (emptied []int64, err error) {
	var sessions, prompts string
	for _, t := range tables.Loaded() {
		switch t.Name {
		case "sessions":
			sessions = f.rowsCondition(t)
		case "prompts":
			prompts = f.rowsCondition(t)
		}
	}
	touched, err := w.Sources(ctx, fmt.Sprintf("source_id IN (SELECT source_id FROM sessions WHERE %s UNION SELECT source_id FROM prompts WHERE %s)", sessions, prompts))
	if err != nil || len(touched) == 0 {
		return nil, err
	}
	ids := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(touched)), ", "), "[]")
	emptied, err = w.Sources(ctx, fmt.Sprintf(`source_id IN (%s) AND source_id NOT IN (SELECT source_id FROM sessions WHERE NOT (%s))
		AND source_id NOT IN (SELECT source_id FROM prompts WHERE NOT (%s))`, ids, sessions, prompts))
	if err != nil {
		return nil, err
	}
	if err := w.Change(ctx, touched); err != nil {
		return nil, err
	}
	for _, t := range tables.Loaded() {
		if is := f.rowsCondition(t); is != "" {
			if _, err := w.Exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE %s", t.Name, is)); err != nil {
				return nil, err
			}
		}
	}
	return emptied, nil
}

// Forget puts sessions of the store on the list of forgotten sessions. The next sync
// makes the store anew without them, their subagents, and copies of their messages. No
// later load or pull brings them back.
func Forget(ctx context.Context, st *engine.Store, sessions []forget.Name) error {
	if len(sessions) == 0 {
		return nil
	}
	return st.Write(ctx, func(w *engine.Writer) error {
		list, err := forget.Read(st.File())
		if err != nil {
			return err
		}
		chosen, err := forget.Describe(ctx, w, sessions)
		if err != nil {
			return err
		}
		for _, s := range chosen {
			list.Add(s)
		}
		return list.Write(st.File())
	})
}

// Remember takes a session off the list of forgotten sessions. The next sync makes the
// store anew with the session's rows, if its log is still there. id may be the unique
// beginning of an id. Rows of other machines come with the next pull.
func Remember(ctx context.Context, st *engine.Store, id string) (s forget.Session, err error) {
	list, err := forget.Read(st.File())
	if err == nil {
		_, err = list.Find(id)
	}
	if err != nil {
		return s, err
	}
	err = st.Write(ctx, func(w *engine.Writer) error {
		list, err := forget.Read(st.File()) // again, while no other process writes
		if err != nil {
			return err
		}
		found, err := list.Find(id)
		if err != nil {
			return err
		}
		s = *found
		list.Sessions = slices.DeleteFunc(list.Sessions, func(s *forget.Session) bool { return s == found })
		if _, err := w.Exec(ctx, "DELETE FROM "+tables.Pulled().Name); err != nil { // the next pull brings all logs anew
			return err
		}
		return list.Write(st.File())
	})
	return s, err
}
