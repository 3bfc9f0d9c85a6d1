package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"hindsql/internal/atomicfile"
	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// Last stands for the session in which a person typed last.
const Last = "last"

// Folders are where the user is: the repository, or the folder itself. Under all
// of its names, where links lead to it.
type Folders []string

// Found is the session that a reference names.
type Found struct {
	*conversation.Session
	Message int64  // the one that the reference names; -1 for none
	Notice  Notice // which session last is; zero for another reference
}

// Find gives the session that a reference names: an id, see [conversation.Find],
// with :N for a message, or last. An agent narrows it; empty for any. The error of
// an id that isn't one session's is a [*conversation.Unclear].
func (s *Session) Find(ctx context.Context, reference, agent string, here Folders) (f Found, err error) {
	id, message := conversation.Split(reference)
	f.Message = message
	if id != Last {
		f.Session, err = conversation.Find(ctx, s.Collect, agent, id)
		return f, err
	}
	var isHere bool
	f.Session, isHere, err = conversation.Latest(ctx, s.Collect, here)
	if err != nil {
		return f, err
	}
	where := ""
	if !isHere && f.Project != "" {
		where = ", in " + atomicfile.Short(s.source.home, f.Project)
	}
	f.Notice = Notice{Kind: Which, Subject: fmt.Sprintf("last is %s: %s, %s%s", s.ShortIDs(ctx)(f.ID), Moment(f.EndedAt), printable.Text(f.About), where)}
	return f, nil
}

// Moment is when something was, for people.
func Moment(at time.Time) string {
	if at.IsZero() {
		return "at an unknown time"
	}
	return words.Moment(at)
}

// IsUnclear says whether an error is that of a reference that isn't one session's.
func IsUnclear(err error) (*conversation.Unclear, bool) {
	var unclear *conversation.Unclear
	return unclear, errors.As(err, &unclear)
}

// ShortIDs gives what shortens ids as far as they stay different. The ids are read
// when it is first called, in a session of its own, as a statement of this one may be
// running.
func (s *Session) ShortIDs(ctx context.Context) func(id string) string {
	read := sync.OnceValue(func() *conversation.Ids {
		other, err := s.source.Session(ctx)
		if err != nil {
			return &conversation.Ids{} // then they are shown whole
		}
		defer other.Close()
		ids, err := conversation.ReadIds(ctx, other.Collect)
		if err != nil {
			return &conversation.Ids{}
		}
		return ids
	})
	return func(id string) string { return read().Short(id) }
}

// SessionIDs gives sessions that may be meant by what was typed of an id, the
// latest first: what is typed for each, and a line that says which it is. The
// error is that of the query.
func (s *Session) SessionIDs(ctx context.Context, typed string, most int) (ids, about []string, err error) {
	list, err := conversation.Recent(ctx, s.Collect, typed, most)
	if err != nil {
		return nil, nil, err
	}
	all, err := conversation.ReadIds(ctx, s.Collect)
	if err != nil {
		return nil, nil, err
	}
	for _, one := range list {
		short := all.Short(one.ID)
		if !strings.HasPrefix(short, typed) {
			short = one.ID
		}
		ids = append(ids, short)
		about = append(about, printable.Text(Moment(one.EndedAt)+" "+one.Agent+" "+one.About))
	}
	return ids, about, nil
}
