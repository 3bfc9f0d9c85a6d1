package mcp

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
	"hindsql/queries/conversation"
)

// aroundMessage is the number of messages shown before and after a message, as hindsql
// show does.
const aroundMessage = 5

// find returns the session and the message that a reference names. The message is -1 if
// the reference names only a session.
func (c *call) find(ctx context.Context, reference string) (*conversation.Session, int64, error) {
	id, message := conversation.Split(reference)
	if id == ask.Last {
		f, err := c.session.Find(ctx, ask.Last, "", c.Here)
		if _, is := ask.IsUnclear(err); is {
			err = errNoResource{fmt.Errorf("last: no session has a prompt yet; %s lists all", phrases[ask.SeeSessions])}
		}
		if err == nil {
			c.notices = append(c.notices, f.Notice)
		}
		return f.Session, message, err
	}
	s, err := conversation.Find(ctx, c.inCrowd, "", id)
	var unclear *conversation.Unclear
	if !errors.As(err, &unclear) {
		return s, message, err
	}
	if unclear.Count == 0 {
		return nil, 0, errNoResource{fmt.Errorf("%w; %s lists them%s", err, phrases[ask.SeeSessions], c.onlyScope())}
	}
	var ids []string
	for _, s := range unclear.Candidates {
		ids = append(ids, oneLine(s.ID))
	}
	return nil, 0, errNoResource{fmt.Errorf("%w: %s; give more of it", err, strings.Join(ids, ", "))}
}

func (c *call) onlyScope() string {
	if c.Scope == "" {
		return ""
	}
	return ", of those in " + c.Scope
}

// conversation returns the session that a reference names. If the reference has a
// message, it returns only the messages around that message.
func (c *call) conversation(ctx context.Context, reference string) (*conversation.Conversation, error) {
	s, message, err := c.find(ctx, reference)
	if err != nil {
		return nil, err
	}
	whole, err := conversation.Read(ctx, c.inCrowd, s.Agent, s.ID)
	switch {
	case err != nil || message < 0:
		return whole, err
	case message > whole.Last():
		return nil, errNoResource{fmt.Errorf("%s has no message %d; its last is %d", oneLine(s.ID), message, whole.Last())}
	}
	return whole.AboutMessage(message, aroundMessage), nil
}

// sessionText returns a session as Markdown in parts, from the part on which l's page
// begins.
func sessionText(ctx context.Context, c *call, l locator) (iter.Seq2[int, string], error) {
	talk, err := c.conversation(ctx, l.name)
	if err != nil {
		return nil, err
	}
	page := term.Page{Line: usualCell, Path: c.short}
	return page.MarkdownFrom(talk, l.from.part), nil
}

// short returns a path for people, with ~ for the home folder.
func (s *Server) short(path string) string { return atomicfile.Short(s.Home, path) }
