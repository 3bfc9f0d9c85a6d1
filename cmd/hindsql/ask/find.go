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

// Last is the reference to the session with the user's latest input.
const Last = "last"

// Folders are all paths of the working trees of the user's repository; outside of a
// repository, of the current folder. A folder reached through symbolic links has
// several paths.
type Folders []string

// Found is the session found for a reference.
type Found struct {
	*conversation.Session
	Message int64  // index of the referenced message; -1 for none
	Notice  Notice // says which session "last" is; zero for any other reference
}

// Find returns the session of a reference: an id, see [conversation.Find], an id with a
// message's index (id:N), or last. last prefers sessions in the folders here. agent
// restricts the search to one agent; empty means any. If not exactly one session has
// the id, the error is a [*conversation.Unclear].
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

// Moment formats a time for people.
func Moment(at time.Time) string {
	if at.IsZero() {
		return "at an unknown time"
	}
	return words.Moment(at)
}

// IsUnclear returns the error, and true, if err says that no session has an id, or more
// than one.
func IsUnclear(err error) (*conversation.Unclear, bool) {
	return errors.AsType[*conversation.Unclear](err)
}

// ShortIDs returns a function that shortens session ids as far as the ids stay
// different. The first call of the function reads all ids. It opens another session for
// that, because a statement may be running in this session.
func (s *Session) ShortIDs(ctx context.Context) func(id string) string {
	read := sync.OnceValue(func() *conversation.Ids {
		other, err := s.source.Session(ctx)
		if err != nil {
			return &conversation.Ids{} // ids stay whole
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

// SessionIDs returns at most most sessions that match the typed start of an id, the
// latest first. ids has an id to type for each, and about a line that describes the
// session.
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
