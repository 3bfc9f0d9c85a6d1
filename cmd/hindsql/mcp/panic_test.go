package mcp_test

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/cmd/hindsql/mcp"
)

// TestPanic: a panic in the answer to a call costs that call only, over a stream and over
// HTTP.
func TestPanic(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"stream", "HTTP"} {
		values := make(chan any, 10)
		s := mcp.New(mcp.Config{Panicked: func(value any) string { // without a source, each call panics
			values <- value
			return "internal error"
		}})
		var c *client
		if transport == "HTTP" {
			var err error
			c, err = dial(t, overHTTP(t, s), testToken)
			must(t, err)
		} else {
			c = connect(t, s, nil)
		}
		for range 2 {
			_, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "query", Arguments: map[string]any{"sql": "SELECT 1"}})
			if err == nil || !strings.Contains(err.Error(), "internal error") || len(values) != 1 {
				t.Fatalf("%s: %v", transport, err)
			}
			<-values
		}
		_, err := c.ListTools(context.Background(), nil)
		must(t, err)
	}
}
