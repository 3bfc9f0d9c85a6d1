package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
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

func (s *Server) addResources() {
	for _, t := range templates {
		s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: t.uri, Name: t.name, Title: t.title, Description: t.what, MIMEType: markdown}, s.reader(t.text))
	}
	s.sdk.AddReceivingMiddleware(s.addresses)
}

// addresses changes the address in a read request to the escaped form of its template,
// in which the SDK expects it. Before a list request, it refreshes the listed tables
// and queries.
func (s *Server) addresses(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch r := req.(type) {
		case *sdk.ReadResourceRequest:
			l, err := readLocator(r.Params.URI)
			if err != nil {
				return nil, notFound(r.Params.URI, err)
			}
			if kinds := []string{tablesKind, queriesKind, sessionKind}; !slices.Contains(kinds, l.kind) {
				return nil, notFound(r.Params.URI, fmt.Errorf("no resources %q%s", oneLine(l.kind), suggest.Ask(l.kind, kinds, "there are "+words.List(kinds, "or"))))
			}
			r.Params.URI = l.uri()
		case *sdk.ListResourcesRequest:
			s.listed.refresh(s)
		}
		return next(ctx, method, req)
	}
}

// notFound returns the protocol's error for a missing resource.
func notFound(uri string, err error) error {
	data, _ := json.Marshal(map[string]string{"uri": oneLine(uri)})
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "resource not found: " + err.Error(), Data: data}
}

// errNoResource is the error for an address with an unknown name, or a place after the
// text's end.
type errNoResource struct{ error }

// reader returns a handler that answers with one page of a resource. text returns the
// resource's whole text in parts.
func (s *Server) reader(text func(context.Context, *call, locator) (iter.Seq2[int, string], error)) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		l, err := readLocator(req.Params.URI)
		if err != nil {
			return nil, notFound(req.Params.URI, err)
		}
		var page string
		err = s.answering(ctx, asker{req.Session, req.Params.GetProgressToken()}, func(c *call) error {
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
			return nil, internal(err)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: markdown, Text: page}}}, nil
	}
}

// pageAt returns the page of a text that begins at l's place. The text is in a fence.
// If the text continues, the address of the next page follows. The page has at most
// most characters.
func (c *call) pageAt(l locator, parts iter.Seq2[int, string], most int) (string, error) {
	next := func(at place) string {
		return fmt.Sprintf("next: %s goes on behind this page.\n", locator{l.kind, l.name, at}.shown())
	}
	head, told := isData+"\n", warningLines(c.warnings())
	frame := utf8.RuneCountInString(head+told+next(place{1 << 40, 1 << 40})) + len(fenced(""))
	text, rest := fill(parts, l.from, most-frame)
	if text == "" && l.from.part > 0 {
		return "", errNoResource{fmt.Errorf("from=%s: is behind the end", l.from.text())}
	}
	text = head + fenced(told+text)
	if rest != nil {
		text += next(*rest)
	}
	return text, nil
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
