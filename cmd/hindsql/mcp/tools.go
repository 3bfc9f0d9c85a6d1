package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The schemas are short and written by hand: each client's model reads them in each
// session.
const (
	ofRows = `"max_rows":{"type":"integer","minimum":1,"maximum":1000`
	ofPage = `"cursor":{"type":"string","description":"next of the answer before: goes on behind it"},` +
		`"max_chars":{"type":"integer","minimum":1000,"maximum":200000,"default":20000},` +
		`"cell_chars":{"type":"integer","minimum":20,"maximum":200000,"default":`
	queryInput = `{"type":"object","properties":{"sql":{"type":"string","description":"one SELECT, DuckDB's SQL"},` +
		`"params":{"type":"object","description":"values for $name in it"},` + ofRows + `,"default":100},` + ofPage + `500}},"required":["sql"],"additionalProperties":false}`
	runInput = `{"type":"object","properties":{"name":{"type":"string"},` +
		`"params":{"type":"object","description":"such as since: 7d or last week, project, agent, top"},` + ofRows + `},` + ofPage + `140}},"required":["name"],"additionalProperties":false}`
	describeInput = `{"type":"object","properties":{"name":{"type":"string"},` + ofRows + `},` + ofPage + `500}},"additionalProperties":false}`
	output        = `{"type":"object","properties":{"about":{"type":"string"},"columns":{"type":"array","items":{"type":"object","required":["name","type"]}},` +
		`"rows":{"type":"array","items":{"type":"array"}},"truncated":{"type":"boolean"},"next":{"type":"string"},"notice":{"type":"string"},` +
		`"warnings":{"type":"array","items":{"type":"string"}},"fence":{"type":"string"},"synced_at":{"type":"string"}},"required":["columns","rows","truncated","notice","fence"]}`
)

// tool is a tool with its handler.
type tool struct {
	name, what, input string
	arguments         []string
	answer            func(context.Context, *call, *arguments) (*page, error)
}

var toolList = []tool{
	{"query", "SQL on what coding agents did: tables sessions, messages, tool_calls, rejections, interruptions, compactions and more. Name few columns; long texts are cut.",
		queryInput, []string{"sql", "params"}, query},
	{"run", "Runs a saved query, such as rejections, rule-candidates, sessions, overview, failing-commands, tokens-by-day. describe lists them, describe(name) their parameters.",
		runInput, []string{"name", "params"}, runSaved},
	{"describe", "Lists tables, functions and saved queries; with a name, the columns of a table, or the parameters and SQL of a saved query.",
		describeInput, []string{"name"}, describe},
}

func (s *Server) addTools() {
	closed, harmless := false, false
	for _, t := range toolList {
		s.sdk.AddTool(&sdk.Tool{
			Name: t.name, Description: t.what, InputSchema: json.RawMessage(t.input), OutputSchema: json.RawMessage(output),
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed, DestructiveHint: &harmless},
		}, s.handler(t))
	}
}

// handler returns the handler of a tool. An error in a call becomes a result, not an
// error of the protocol: the model then reads the error and can correct the call.
func (s *Server) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		args, err := parseArguments(t.name, t.arguments, req.Params.Arguments)
		if err != nil {
			return errorResult(err), nil //nolint:nilerr // the model gets the error
		}
		var p *page
		err = s.withCall(ctx, progressClient{req.Session, req.Params.GetProgressToken()}, func(c *call) error {
			p, err = t.answer(ctx, c, args)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return errorResult(err), nil //nolint:nilerr // the model gets the error
		}
		return p.result(), nil
	}
}
