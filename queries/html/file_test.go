package html_test

import (
	"strings"
	"testing"

	"hindsql/internal/whole"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// TestFile: a session's file loads nothing and runs nothing, folds long outputs, has
// what a subagent did, and stays small.
func TestFile(t *testing.T) {
	const evil = `</title><script>alert(1)</script>`
	long := strings.Repeat("x", 100<<10)
	c := &conversation.Conversation{Session: conversation.Session{Agent: "claude", ID: "s1", About: evil, Resume: "claude --resume s1"}}
	calls := whole.Or(200, 50)
	for i := range calls {
		c.Pieces = append(c.Pieces,
			conversation.Piece{Kind: conversation.Prompt, Index: int64(2 * i), Who: "you", Text: evil},
			conversation.Piece{Kind: conversation.Call, Index: int64(2*i + 1), Who: "agent", Call: &conversation.ToolCall{
				ID: "c", Tool: "Bash", Kind: "command", Command: long, Input: `{"command":"` + long + `","why":"` + long + `"}`, Output: long, Status: "ok"}})
	}
	c.Pieces[1].Call.Subagent = "s2"
	below := &conversation.Conversation{Session: conversation.Session{Agent: "claude", ID: "s2"}, Pieces: []conversation.Piece{{Kind: conversation.Answer, Who: "agent", Text: "below it"}}}
	var b strings.Builder
	err := html.File(&b, c, func(_, id string) *conversation.Conversation {
		if id != "s2" {
			t.Errorf("asked for %q", id)
		}
		return below
	})
	if err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<script", "src=", "url(", "href=\"/"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q is in the file", bad)
		}
	}
	for _, want := range []string{"Output, 102,400 characters", "below it", "Go on: claude --resume s1", "&lt;script&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the file", want)
		}
	}
	if all, most := calls*4*len(long), calls*20<<10; len(page) > most {
		t.Errorf("%d bytes of %d, want %d at most", len(page), all, most)
	}
}
