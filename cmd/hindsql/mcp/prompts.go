package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/cmd/hindsql/agents/skills"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
)

// prompt is a request to the model that a user starts by its name. Its text already has
// the rows that the model would otherwise have to query.
type prompt struct {
	name, title, what string
	arguments         []*sdk.PromptArgument
	text              func(context.Context, *call, map[string]string) (string, error)
}

var (
	sinceArgument   = &sdk.PromptArgument{Name: "since", Description: "from when on: 7d, last month, 2026-02-03; 30d where nothing is said"}
	projectArgument = &sdk.PromptArgument{Name: "project", Description: "part of the project's folder"}
	sessionArgument = &sdk.PromptArgument{Name: "session", Description: "a session's id, or its beginning; ID:MESSAGE for what is around a message; last for the latest", Required: true}
)

var promptList = []prompt{
	{"review-my-refusals", "Review my refusals", "What I refused, grouped by what was wrong with it.", []*sdk.PromptArgument{sinceArgument, projectArgument}, reviewText},
	{"rules-from-refusals", "Rules from my refusals", "What I refused, turned into proposals for rules, each with the refusals that prove it.", []*sdk.PromptArgument{sinceArgument, projectArgument}, rulesText},
	{"what-happened-in", "What happened in a session", "A session, told in a few sentences.", []*sdk.PromptArgument{sessionArgument}, happenedText},
}

// promptHandler returns the handler of a prompt. It answers with the prompt's text as one
// message from the user.
func (s *Server) promptHandler(p prompt) sdk.PromptHandler {
	return func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if err := p.check(req.Params.Arguments); err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: p.name + ": " + err.Error()}
		}
		var text string
		err := s.withCall(ctx, progressClient{req.Session, req.Params.GetProgressToken()}, func(c *call) (err error) {
			text, err = p.text(ctx, c, req.Params.Arguments)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, new(errNoResource)):
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: p.name + ": " + err.Error()}
		case err != nil:
			return nil, internalError(err)
		}
		return &sdk.GetPromptResult{Description: p.what, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
	}
}

// internalError returns the protocol's error for a failed call.
func internalError(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: errorText(err)}
}

// check returns an error for missing or unknown arguments.
func (p *prompt) check(given map[string]string) error {
	var known []string
	for _, a := range p.arguments {
		known = append(known, a.Name)
		if a.Required && strings.TrimSpace(given[a.Name]) == "" {
			return fmt.Errorf("%s is missing: %s", a.Name, a.Description)
		}
	}
	for name := range given {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no argument %q%s", oneLine(name), suggest.Ask(name, known, "it takes "+words.List(known, "or")))
		}
	}
	return nil
}

// usualSince is the value of a prompt's argument since if the user gives none.
const usualSince = skills.PeriodOfRules

// promptWithRows returns the text of a prompt: the task, then rows of a saved query,
// then the tool call by which the model gets the other rows. The text has at most
// usualChars characters.
func (c *call) promptWithRows(ctx context.Context, task, query string, given map[string]string) (string, error) {
	params := map[string]json.RawMessage{}
	for name, value := range given {
		if strings.TrimSpace(value) != "" {
			params[name], _ = json.Marshal(value) // a text never fails
		}
	}
	asked, _ := json.Marshal(params)
	rest := func(next string) string {
		return fmt.Sprintf("The rest: run(name=%q, params=%s, cursor=%q).\n", query, asked, next)
	}
	const ofCursor = 40
	room := usualChars - utf8.RuneCountInString(task+rest(strings.Repeat("0", ofCursor)))
	p, err := runSaved(ctx, c, &arguments{name: query, params: params, bounds: bounds{Chars: room, Cell: usualCell, Said: usualSaid, Text: true}})
	if err != nil {
		return "", err
	}
	a, text := p.answer()
	text, _, _ = strings.Cut(text, "next: cursor=")
	if a.Next != "" {
		text += rest(a.Next)
	}
	return task + text, nil
}

func withDefault(given map[string]string) (params map[string]string, span string) {
	params = map[string]string{"since": cmp.Or(strings.TrimSpace(given["since"]), usualSince), "project": given["project"]}
	span = "since " + oneLine(params["since"])
	if project := strings.TrimSpace(params["project"]); project != "" {
		span += ", in projects with " + oneLine(project) + " in their folder"
	}
	return params, span
}

// around tells the model how to see the messages around a row.
const around = "What was around a row with session ID:MESSAGE: the resource " + scheme + sessionKind + "/ID:MESSAGE, or query(sql=\"SELECT time, who, what FROM session('ID')\").\n"

func reviewText(ctx context.Context, c *call, given map[string]string) (string, error) {
	params, span := withDefault(given)
	return c.promptWithRows(ctx, "Review what I refused, "+span+". Below is what you wanted to do, what I said, and where; the newest first.\n"+
		"- Group the refusals by what was wrong with the proposal, the largest group first.\n"+
		"- Of each group: how many, one example with its session, my own words, and what I would have had instead.\n"+
		"- Count rows; don't guess a reason that isn't there. Say what you can't tell.\n"+around, "rejections", params)
}

func rulesText(ctx context.Context, c *call, given map[string]string) (string, error) {
	params, span := withDefault(given)
	return c.promptWithRows(ctx, "Propose rules from what I refused, "+span+": below is how, then what I refused. What I granted: run(name=\"permission-rules\"); one refusal a row: run(name=\"rejections\").\n"+
		around+"\n"+skills.Method()+"\n", skills.RulesQuery, params)
}

func happenedText(ctx context.Context, c *call, given map[string]string) (string, error) {
	l := locator{kind: sessionKind, name: strings.TrimSpace(given["session"])}
	parts, err := sessionText(ctx, c, l)
	if err != nil {
		return "", err
	}
	task := "Tell me what happened in the session below: what I wanted, what was done, what I refused or stopped and why, how it ended, and what is left to do. " +
		"A few sentences; name messages as :N where they show it.\n" +
		"If the page ends with an address, read that resource for the rest, or query(sql=\"SELECT time, who, what FROM session('ID')\").\n"
	page, err := c.pageAt(l, parts, usualChars-utf8.RuneCountInString(task))
	return task + page, err
}
