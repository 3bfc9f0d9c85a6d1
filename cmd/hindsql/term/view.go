package term

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/atomicfile"
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/queries/conversation"
)

// View shows a session of package ask as text, on a terminal or in a script.
type View struct {
	Session  *ask.Session
	Store    string // path of the store's file
	Home     string // shown as ~; empty if unknown
	Words    ask.Words
	Err      io.Writer // notices
	Progress *Progress // of syncs; nil: not shown

	lastStale string   // the last reason for old answers written by Print
	warned    []string // notices already written

	hasEmptyNotice bool // a notice said that the tables, or those in scope, have no rows
}

// Notice writes a line for people.
func Notice(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "hindsql: %s\n", strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
}

// Explain returns an error's text for people, with possible next steps.
func (v *View) Explain(err error) string { return v.Words.Explain(err) }

// Loaded counts the loaded messages and logs, in words.
func (v *View) Loaded(ctx context.Context) (string, error) {
	set, err := v.Collect(ctx, "SELECT coalesce(sum(messages), 0)::BIGINT, count(*) FROM sources", nil)
	if err != nil {
		return "", err
	}
	messages, _ := set.Rows[0][0].(int64)
	logs, _ := set.Rows[0][1].(int64)
	return words.Quantity(messages, "message") + " from " + words.Quantity(logs, "log"), nil
}

// Collect runs SQL of hindsql's own, and returns its result.
func (v *View) Collect(ctx context.Context, sql string, args map[string]any) (result.Set, error) {
	return v.Session.Collect(ctx, sql, args)
}

// short formats a path for people, with ~ for the home folder.
func (v *View) short(path string) string { return atomicfile.Short(v.Home, path) }

// Print writes notices. It writes a warning only once. It leaves out the reason for old
// answers if it was also the last reason written.
func (v *View) Print(list ...ask.Notice) {
	for _, n := range list {
		text := v.Words.Text(n)
		switch n.Kind {
		case ask.Empty:
			v.hasEmptyNotice = true
		case ask.Stale:
			if n.Subject == v.lastStale {
				continue
			}
			v.lastStale = n.Subject
		case ask.Warning:
			if slices.Contains(v.warned, text) {
				continue
			}
			v.warned = append(v.warned, text)
		}
		Notice(v.Err, "%s", text)
	}
}

// find finds the session of a reference, see [ask.Session.Find]. If the reference is
// "last", it writes a notice that names the session. Its error lists possible sessions.
func (v *View) find(ctx context.Context, reference, agent string, here ask.Folders) (ask.Found, error) {
	f, err := v.Session.Find(ctx, reference, agent, here)
	if unclear, is := ask.IsUnclear(err); is {
		return f, v.unclear(unclear)
	}
	if err == nil && f.Notice != (ask.Notice{}) {
		Notice(v.Err, "%s", v.Words.Text(f.Notice))
	}
	return f, err
}

// NoSession is the error of a reference for which no session, or more than one, exists.
type NoSession struct{ words string }

// Error lists possible sessions, or says what to do.
func (n *NoSession) Error() string { return n.words }

func noSession(format string, args ...any) error { return &NoSession{fmt.Sprintf(format, args...)} }

// unclear returns the error for an id for which no session, or more than one, exists.
func (v *View) unclear(u *conversation.Unclear) error {
	switch {
	case u.Count == 0 && u.ID == ask.Last:
		return noSession("last: no session has a prompt yet; %s lists all", v.Words[ask.SeeSessions])
	case u.Count == 0:
		return noSession("%v; %s lists them", u, v.Words[ask.SeeSessions])
	}
	var rows [][]string
	for _, s := range u.Candidates {
		rows = append(rows, []string{"  " + s.ID, ask.Moment(s.EndedAt), s.Agent, v.short(s.Project), s.About})
	}
	if more := u.Count - len(u.Candidates); more > 0 {
		rows = append(rows, []string{fmt.Sprintf("  and %d more", more)})
	}
	var list strings.Builder
	_ = Listing(&list, 0, rows) // a Builder accepts any text
	next := "give more of it"
	if c := u.Candidates; len(c) > 1 && c[0].Agent != c[len(c)-1].Agent {
		next += ", or --agent"
	}
	return noSession("%v; %s:\n%s", u, next, strings.TrimRight(list.String(), "\n"))
}

// patience is how long a sync runs before its progress is shown.
const patience = 300 * time.Millisecond

// Unpriced says in a line which models of the logs have no price, most tokens first. query
// is unpriced-models.
func Unpriced(ctx context.Context, v *View, query *queries.Query) (string, error) {
	s, err := v.Session.Bind(ctx, query, nil)
	if err != nil {
		return "", err
	}
	set, err := v.Collect(ctx, s.SQL, s.Args)
	if err != nil {
		return "", err
	}
	const most = 5
	var names []string
	for i, row := range set.Rows {
		if name, _ := row[1].(string); name != "" && i < most {
			names = append(names, name)
		}
	}
	switch n := len(set.Rows); {
	case n == 0:
		return "every model in your logs has a price", nil
	case n > most:
		names = append(names, "…")
	}
	return words.Quantity(len(set.Rows), "model") + " in your logs without a price: " + strings.Join(names, ", ") + "; hindsql run unpriced-models tells more", nil
}

// Confirm asks a question, and reads the answer's line: byte by byte, because a further
// question may follow.
func Confirm(in io.Reader, out io.Writer, question string) bool {
	fmt.Fprint(out, question)
	var answer strings.Builder
	for next := make([]byte, 1); ; {
		n, err := in.Read(next)
		if n == 0 && err != nil {
			fmt.Fprintln(out) // the input ended without a line end
			break
		}
		if n > 0 && next[0] == '\n' {
			break
		}
		answer.Write(next[:n])
	}
	said := strings.ToLower(strings.TrimSpace(answer.String()))
	return said == "y" || said == "yes"
}

// counted lists the formats for people. They tell if a query's limit left out rows.
var counted = []string{"table", "line"}

// ErrNoRows is the error of a query for an alert without a row.
var ErrNoRows = errors.New("no rows")

// Query runs a statement and writes its results.
func (v *View) Query(ctx context.Context, to *Output, q ask.Statement) error {
	if !to.Alert {
		v.Print(q.Notices...)
	}
	to.Chart, to.Answer = q.Chart(), AnswerOf(&q)
	if to.Answer != nil {
		to.Answer.Prices = v.Session.Source().Prices()
	}
	defer func() { to.Answer = nil }()
	if to.Is(Parquet) {
		return v.parquet(ctx, to, q)
	}
	if to.Width > 0 && to.Short == nil {
		to.Short = v.Session.ShortIDs(ctx)
	}
	write, err := to.Results(q.Format())
	if err != nil {
		return err
	}
	q.Seen = to.isSeen(q.Format())
	tells := false
	if format, err := to.choose(q.Format()); err == nil {
		q.Count = slices.Contains(counted, format.Name) || ownLimit(&q) > 0
		tells = slices.Contains(counted, format.Name)
	}
	some := false
	err = v.Session.Run(ctx, q, func(a *ask.Answer) error {
		switch {
		case a.Rows.Next():
			some = true
			a.Rows.Unread()
		case to.Alert:
			return a.Rows.Err()
		}
		if to.Alert {
			v.Print(q.Notices...)
		}
		if to.Answer != nil {
			to.Answer.Of = int(a.Of)
		}
		return write(a.Rows)
	})
	switch {
	case err == nil && to.Alert && !some:
		return ErrNoRows
	case err == nil && !some && len(q.Notices) == 0:
		warnOfNoRows(v, &q)
	}
	if err == nil && !tells && to.Answer != nil {
		warnOfLimit(v, to.Answer, ownLimit(&q))
	}
	return err
}

// warnOfNoRows says which values left a saved query without rows, unless a notice said
// already that the tables have none.
func warnOfNoRows(v *View, q *ask.Statement) {
	if q.Saved == nil || v.hasEmptyNotice {
		return
	}
	var given []string
	for _, p := range q.Saved.Params {
		if value := q.Given[p.Name]; value != nil && value != "" && p.Name != queries.Top {
			given = append(given, fmt.Sprintf("%s=%v", p.Name, value))
		}
	}
	why := "the logs have none"
	if given != nil {
		why = "none match " + strings.Join(given, " and ")
	}
	v.Print(ask.Notice{Kind: ask.Unmatched, Subject: q.Name + ": no rows; " + why})
}

// ownLimit returns the limit of a saved query's rows that nobody asked for: the default
// of its parameter top. 0 means none.
func ownLimit(q *ask.Statement) int {
	if q.Saved == nil {
		return 0
	}
	p := q.Saved.Param(queries.Top)
	if p == nil || q.Args[queries.Top] != p.Default {
		return 0
	}
	limit, _ := strconv.Atoi(p.Default)
	return limit
}

// warnOfLimit writes a notice if the query's own limit left rows out of a file, which has
// no place to say it. limit is the number of rows written.
func warnOfLimit(v *View, a *Answer, limit int) {
	if a.Of <= limit {
		return
	}
	if a.Total {
		limit++
	}
	v.Print(ask.Notice{Kind: ask.Limited, Subject: a.counted(limit)})
}

// AnswerOf returns how to show a statement's result to people; nil for SQL that the
// user typed.
func AnswerOf(q *ask.Statement) *Answer {
	if q.Saved == nil {
		return nil
	}
	return &Answer{Noun: q.Saved.Row, Total: q.Saved.Total, All: queries.Top + "=0", Card: q.Saved.Card, Hidden: q.Saved.Hidden}
}

// parquet lets the engine write a statement's result, because only the engine knows the
// columns' exact types. Statements without rows, such as CREATE TEMP TABLE, are run
// without writing anything.
func (v *View) parquet(ctx context.Context, to *Output, q ask.Statement) error {
	switch rows := engine.IsQuery(q.SQL); {
	case !rows:
		return v.Session.Run(ctx, q, func(*ask.Answer) error { return nil })
	case to.HasWritten:
		return errors.New("parquet: holds one result, and this is a second")
	}
	if to.Alert {
		some := false
		err := v.Session.Run(ctx, q, func(a *ask.Answer) error {
			some = some || a.Rows.Next()
			return a.Rows.Err()
		})
		if err != nil || !some {
			return cmp.Or(err, ErrNoRows)
		}
		v.Print(q.Notices...)
	}
	to.HasWritten = true
	if err := v.Session.Parquet(ctx, q, to); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	if limit := ownLimit(&q); limit > 0 {
		_, of := v.Session.Cut(ctx, q)
		to.Answer.Of = int(of)
		warnOfLimit(v, to.Answer, limit)
	}
	return nil
}

// Saved runs a saved query with the given parameter values.
func (v *View) Saved(ctx context.Context, to *Output, q *queries.Query, given map[string]any) error {
	if to.Format == "chart" {
		given = q.ForChart(given)
	}
	s, err := v.Session.Bind(ctx, q, given)
	if err != nil {
		return err
	}
	return v.Query(ctx, to, s)
}
