package show

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine/conversation"
	"hindsql/engine/result"
	"hindsql/visible"
)

// last is what stands for the session in which a person typed last.
const last = "last"

// Folders are where the user is: the repository, or the folder itself. Under all
// of its names, where links lead to it.
type Folders []string

// Find gives the session that a reference names, and the message, -1 for none: an
// id, see [conversation.Find], with :N for a message, or last. An agent narrows
// it; empty for any. The error lists what may be meant.
func (v *View) Find(ctx context.Context, reference, agent string, here Folders) (s *conversation.Session, message int64, err error) {
	id, message := conversation.Split(reference)
	if id == last {
		s, err = v.latest(ctx, here)
	} else {
		s, err = conversation.Find(ctx, v.Collect, agent, id)
	}
	var unclear *conversation.Unclear
	if errors.As(err, &unclear) {
		err = v.unclear(unclear)
	}
	return s, message, err
}

// NoSession is the error of a reference that isn't one session's.
type NoSession struct{ words string }

// Error says what may be meant, or what to do.
func (n *NoSession) Error() string { return n.words }

func noSession(format string, args ...any) error { return &NoSession{fmt.Sprintf(format, args...)} }

// latest says which session it takes.
func (v *View) latest(ctx context.Context, here Folders) (*conversation.Session, error) {
	s, isHere, err := conversation.Latest(ctx, v.Collect, here)
	if err != nil {
		return nil, err
	}
	where := ""
	if !isHere && s.Project != "" {
		where = ", in " + v.short(s.Project)
	}
	Notice(v.Err, "last is %s: %s, %s%s", v.shortId(ctx, s.ID), ago(s.EndedAt), visible.Text(s.About), where)
	return s, nil
}

func ago(at time.Time) string {
	if at.IsZero() {
		return "at an unknown time"
	}
	return at.Format("2006-01-02 15:04")
}

// unclear words the error of an id that isn't one session's.
func (v *View) unclear(u *conversation.Unclear) error {
	switch {
	case u.Count == 0 && u.ID == last:
		return noSession("last: no session has a prompt yet; %s lists all", v.Words.Sessions)
	case u.Count == 0:
		return noSession("%v; %s lists them", u, v.Words.Sessions)
	}
	var rows [][]string
	for _, s := range u.Candidates {
		rows = append(rows, []string{"  " + s.ID, ago(s.EndedAt), s.Agent, v.short(s.Project), s.About})
	}
	if more := u.Count - len(u.Candidates); more > 0 {
		rows = append(rows, []string{fmt.Sprintf("  and %d more", more)})
	}
	var list strings.Builder
	_ = render.Listing(&list, 0, rows) // a Builder takes everything
	next := "give more of it"
	if c := u.Candidates; len(c) > 1 && c[0].Agent != c[len(c)-1].Agent {
		next += ", or --agent"
	}
	return noSession("%v; %s:\n%s", u, next, strings.TrimRight(list.String(), "\n"))
}

// shortIds gives what shortens ids on a terminal: the ids are read when it is first
// called, over a session of its own, as a statement of the view's may be running.
func (v *View) shortIds(ctx context.Context) func(string) string {
	read := sync.OnceValue(func() *conversation.Ids {
		s, err := v.Session.Store().Session(ctx)
		if err != nil {
			return &conversation.Ids{} // then they are shown whole
		}
		defer s.Close()
		other := &View{Session: s}
		ids, err := conversation.ReadIds(ctx, func(ctx context.Context, sql string, args map[string]any) (result.Set, error) {
			return other.Collect(ctx, sql, args)
		})
		if err != nil {
			return &conversation.Ids{}
		}
		return ids
	})
	return func(id string) string { return read().Short(id) }
}

func (v *View) shortId(ctx context.Context, id string) string { return v.shortIds(ctx)(id) }

// SessionIDs gives sessions that may be meant by what was typed of an id, the
// latest first: what is typed for each, and a line that says which it is. The
// error is that of the query.
func (v *View) SessionIDs(ctx context.Context, typed string, most int) (ids, about []string, err error) {
	list, err := conversation.Recent(ctx, v.Collect, typed, most)
	if err != nil {
		return nil, nil, err
	}
	all, err := conversation.ReadIds(ctx, v.Collect)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range list {
		short := all.Short(s.ID)
		if !strings.HasPrefix(short, typed) {
			short = s.ID
		}
		ids = append(ids, short)
		about = append(about, visible.Text(ago(s.EndedAt)+" "+s.Agent+" "+s.About))
	}
	return ids, about, nil
}
