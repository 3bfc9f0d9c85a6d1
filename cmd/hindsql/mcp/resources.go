package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/lists"
	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
	"hindsql/tables"
)

const markdown = "text/markdown"

// templates lists the kinds of resources, each with a template of its addresses.
var templates = []struct {
	uri, name, title, what string
	text                   func(context.Context, *call, locator) (iter.Seq2[int, string], error)
}{
	{scheme + tablesKind + "/{name}", "table", "A table", "What a table holds: a row, its columns, how many rows are in scope.", tableText},
	{scheme + queriesKind + "/{name}", "query", "A saved query", "What a saved query answers, its parameters and its SQL.", queryText},
	{scheme + sessionKind + "/{id}{?from}", "session", "A session",
		"What was said and done in a session, as a page: prompts and answers whole, thinking, inputs and outputs short, refused calls with what they would have done and why. id: a session's or its beginning, ID:MESSAGE for what is around a message, or last.",
		sessionText},
}

// checkAddresses changes the address in a read request to the escaped form of its template,
// in which the SDK expects it. Before a list request, it refreshes the listed tables
// and queries.
func (s *Server) checkAddresses(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch r := req.(type) {
		case *sdk.ReadResourceRequest:
			l, err := parseLocator(r.Params.URI)
			if err != nil {
				return nil, notFound(r.Params.URI, err)
			}
			if kinds := []string{tablesKind, queriesKind, sessionKind}; !slices.Contains(kinds, l.kind) {
				return nil, notFound(r.Params.URI, fmt.Errorf("no resources %q%s", oneLine(l.kind), suggest.Ask(l.kind, kinds, "there are "+words.List(kinds, "or"))))
			}
			r.Params.URI = l.uri()
		case *sdk.ListResourcesRequest:
			s.resources.refresh(s)
		}
		return next(ctx, method, req)
	}
}

// resourceList holds the resources in the SDK's list: each table, and each saved query that
// existed at the last list request.
type resourceList struct {
	mutex sync.Mutex
	names map[string]string // titles of the listed resources, by address
}

// refresh adds the resources that are new since the last call, and removes those that
// no longer exist.
func (l *resourceList) refresh(s *Server) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	now := map[string]string{}
	add := func(kind, name, title string, read sdk.ResourceHandler) {
		uri := locator{kind: kind, name: name}.uri()
		if now[uri] = title; l.names[uri] != title || l.names == nil {
			s.sdk.AddResource(&sdk.Resource{URI: uri, Name: name, Title: title, MIMEType: markdown}, read)
		}
	}
	for _, t := range tables.Shown() {
		add(tablesKind, t.Name, sentence(t.Doc), s.resourceHandler(tableText))
	}
	all, _ := s.Source.Queries() // unreadable queries aren't listed; describe reports them
	for _, q := range all {
		add(queriesKind, q.Name, q.Title, s.resourceHandler(queryText))
	}
	for uri := range l.names {
		if _, still := now[uri]; !still {
			s.sdk.RemoveResources(uri)
		}
	}
	l.names = now
}

// notFound returns the protocol's error for a missing resource.
func notFound(uri string, err error) error {
	data, _ := json.Marshal(map[string]string{"uri": oneLine(uri)})
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "resource not found: " + err.Error(), Data: data}
}

// errNoResource is the error for an address with an unknown name, or a place after the
// text's end.
type errNoResource struct{ error }

// resourceHandler returns a handler that answers with one page of a resource. text
// returns the resource's whole text in parts.
func (s *Server) resourceHandler(text func(context.Context, *call, locator) (iter.Seq2[int, string], error)) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		l, err := parseLocator(req.Params.URI)
		if err != nil {
			return nil, notFound(req.Params.URI, err)
		}
		var page string
		err = s.withCall(ctx, progressClient{req.Session, req.Params.GetProgressToken()}, func(c *call) error {
			parts, err := text(ctx, c, l)
			if err == nil {
				page, err = c.pageAt(l, parts, usualChars)
			}
			return err
		})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, new(errNoResource)):
			return nil, notFound(req.Params.URI, err)
		case err != nil:
			return nil, internalError(err)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: markdown, Text: page}}}, nil
	}
}

// pageAt returns the page of a text that begins at l's place. The text is in a fence.
// If the text continues, the address of the next page follows. The page has at most limit
// characters.
func (c *call) pageAt(l locator, parts iter.Seq2[int, string], limit int) (string, error) {
	next := func(at place) string {
		return fmt.Sprintf("next: %s goes on behind this page.\n", locator{l.kind, l.name, at}.shown())
	}
	head, told := isData+"\n", warningLines(c.warnings())
	frame := utf8.RuneCountInString(head+told+next(place{1 << 40, 1 << 40})) + len(fenced(""))
	text, rest := fill(parts, l.from, limit-frame)
	if text == "" && l.from.part > 0 {
		return "", errNoResource{fmt.Errorf("from=%s: is behind the end", l.from.text())}
	}
	text = head + fenced(told+text)
	if rest != nil {
		text += next(*rest)
	}
	return text, nil
}

// fill returns one page of a text that is given in parts: at most limit characters,
// beginning at the place from. A part that doesn't fit is moved whole to the next page.
// Only a part longer than a page is divided. next is where the next page begins; nil at
// the end of the text. Control characters are made visible.
func fill(parts iter.Seq2[int, string], from place, limit int) (text string, next *place) {
	var page strings.Builder
	left := limit
	for n, part := range parts {
		if n < from.part {
			continue
		}
		part = printable.Text(part)
		behind := 0
		if n == from.part {
			behind = min(from.behind, utf8.RuneCountInString(part))
			part = part[words.Letters(part, behind):]
		}
		length := utf8.RuneCountInString(part)
		if length > left && page.Len() > 0 {
			return page.String(), &place{n, behind}
		}
		if length > left {
			return part[:words.Letters(part, left)], &place{n, behind + left}
		}
		page.WriteString(part)
		left -= length
	}
	return page.String(), nil
}

// linesOf returns the lines of a text as parts.
func linesOf(text string) iter.Seq2[int, string] {
	return slices.All(slices.Collect(strings.Lines(text)))
}

// tableText returns the description of a table.
func tableText(ctx context.Context, c *call, l locator) (iter.Seq2[int, string], error) {
	i := slices.IndexFunc(tables.Shown(), func(t *tables.Table) bool { return strings.EqualFold(t.Name, l.name) })
	if i < 0 {
		return nil, errNoResource{fmt.Errorf("no table %q%s", oneLine(l.name), suggest.Ask(l.name, tables.ShownNames(), "resources/list has all"))}
	}
	set, about, err := c.table(ctx, tables.Shown()[i])
	return linesOf(asText(set, about)), err
}

// queryText returns the description of a saved query.
func queryText(_ context.Context, c *call, l locator) (iter.Seq2[int, string], error) {
	q, err := c.Source.Saved(l.name)
	if err != nil {
		return nil, errNoResource{errors.New(phrases.Explain(err))}
	}
	text := fmt.Sprintf("%s: %s\n\n%s\n\n```sql\n%s\n```\n\n", q.Name, q.Title, q.Prose, withoutHelp(q.SQL))
	return linesOf(asText(parameters(q), text)), nil
}

// withoutHelp returns a saved query's SQL without the comment lines at its beginning,
// because they repeat the query's prose and parameters.
func withoutHelp(sql string) string {
	lines := strings.Split(strings.TrimSpace(sql), "\n")
	for len(lines) > 1 && strings.HasPrefix(lines[0], "--") {
		lines = lines[1:]
	}
	return strings.Join(lines, "\n")
}

// asText returns a text followed by the rows as a Markdown table.
func asText(set result.Set, about string) string {
	text := about + term.MarkdownHead(set.Columns)
	for _, row := range set.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			if cells[i] = fmt.Sprint(v); v == nil {
				cells[i] = ""
			}
		}
		text += term.MarkdownRow(cells)
	}
	return text
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
	s, err := conversation.Find(ctx, c.runOwnSQL, "", id)
	var unclear *conversation.Unclear
	if !errors.As(err, &unclear) {
		return s, message, err
	}
	if unclear.Count == 0 {
		among := ""
		if c.Scope != "" {
			among = ", of those in " + c.Scope
		}
		return nil, 0, errNoResource{fmt.Errorf("%w; %s lists them%s", err, phrases[ask.SeeSessions], among)}
	}
	ids := lists.Map(unclear.Candidates, func(s conversation.Session) string { return oneLine(s.ID) })
	return nil, 0, errNoResource{fmt.Errorf("%w: %s; give more of it", err, strings.Join(ids, ", "))}
}

// conversation returns the session that a reference names. If the reference has a
// message, it returns only the messages around that message.
func (c *call) conversation(ctx context.Context, reference string) (*conversation.Conversation, error) {
	s, message, err := c.find(ctx, reference)
	if err != nil {
		return nil, err
	}
	whole, err := conversation.Read(ctx, c.runOwnSQL, s.Agent, s.ID)
	switch {
	case err != nil || message < 0:
		return whole, err
	case message > whole.Last():
		return nil, errNoResource{fmt.Errorf("%s has no message %d; its last is %d", oneLine(s.ID), message, whole.Last())}
	}
	return whole.AboutMessage(message, aroundMessage), nil
}
