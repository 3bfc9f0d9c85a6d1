package term

import (
	"context"
	"fmt"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/queries/conversation"
)

// Find finds the session of a reference, see [ask.Session.Find]. If the reference is
// "last", it writes a notice that names the session. Its error lists possible sessions.
func (v *View) Find(ctx context.Context, reference, agent string, here ask.Folders) (ask.Found, error) {
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
