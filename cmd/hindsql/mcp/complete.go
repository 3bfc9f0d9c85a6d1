package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/cmd/hindsql/ask"
	"hindsql/tables"
)

// mostCompletions is the most completions in an answer, set by the protocol.
const mostCompletions = 100

// complete proposes values for an argument that the user has partly typed: names,
// session ids, projects or times.
func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	typed := req.Params.Argument.Value
	var values []string
	err := s.answering(ctx, asker{}, func(c *call) (err error) {
		switch req.Params.Argument.Name {
		case "name":
			values = c.names(req.Params.Ref.URI)
		case "id", "session":
			values, err = c.sessions(ctx, typed)
		case "project":
			values, err = c.projects(ctx)
		case "since":
			values = []string{"7d", "30d", "90d", "today", "yesterday", "this week", "last week", "this month", "last month"}
		}
		return err
	})
	if err != nil {
		return nil, internal(err)
	}
	return &sdk.CompleteResult{Completion: fitting(values, typed)}, nil
}

// fitting returns the values that contain the typed text. Values that begin with the
// text come first.
func fitting(values []string, typed string) sdk.CompletionResultDetails {
	begin, hold := []string{}, []string{}
	for _, v := range values {
		switch at := strings.Index(strings.ToLower(v), strings.ToLower(typed)); {
		case at == 0:
			begin = append(begin, v)
		case at > 0:
			hold = append(hold, v)
		}
	}
	all := append(begin, hold...)
	return sdk.CompletionResultDetails{Values: all[:min(len(all), mostCompletions)], Total: len(all), HasMore: len(all) > mostCompletions}
}

// names returns the names of the tables, or of the saved queries, depending on the
// address template of a resource.
func (c *call) names(template string) (names []string) {
	if strings.HasPrefix(template, scheme+tablesKind+"/") {
		return tables.ShownNames()
	}
	all, _ := c.Source.Queries()
	for _, q := range all {
		names = append(names, q.Name)
	}
	return names
}

// sessions returns "last" and the session ids that begin with the typed text, the
// latest first.
func (c *call) sessions(ctx context.Context, typed string) ([]string, error) {
	ids, _, err := c.session.SessionIDs(ctx, typed, mostCompletions)
	return append([]string{ask.Last}, ids...), err
}

// projects returns the names of the projects in scope, the latest first.
func (c *call) projects(ctx context.Context) (names []string, err error) {
	set, err := c.inCrowd(ctx, "SELECT p.name FROM sessions s JOIN projects p USING (project) WHERE p.name IS NOT NULL GROUP BY ALL ORDER BY max(s.started_at) DESC NULLS LAST, p.name", nil)
	for _, row := range set.Rows {
		name, _ := row[0].(string)
		names = append(names, oneLine(name))
	}
	return names, err
}
