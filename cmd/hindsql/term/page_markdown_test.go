package term

import (
	"strings"
	"testing"
	"time"

	"hindsql/queries/conversation"
)

func refusedSession() *conversation.Conversation {
	at := time.Date(2026, 10, 8, 12, 0, 0, 0, time.UTC)
	return &conversation.Conversation{
		Session: conversation.Session{ID: "9a3f50d7", About: "a page", Project: "/src/shop"},
		Pieces: []conversation.Piece{
			{Kind: conversation.Prompt, Index: 0, Time: at, Who: "you", Text: "do it"},
			{Kind: conversation.Thinking, Index: 1, Time: at, Who: "agent", Text: strings.Repeat("é", 30)},
			{Kind: conversation.Call, Index: 1, Time: at, Who: "agent", Call: &conversation.ToolCall{
				Tool: "Bash", Command: "make " + strings.Repeat("x", 30), Refusal: &conversation.Refusal{By: "user", Next: "not\nlike this"}}},
			{Kind: conversation.Answer, Index: 1, Time: at, Who: "agent", Text: "\n> like this\n\nlong long"},
		},
		Subagents: []conversation.Session{{ID: "sub", Kind: "subagent", About: "below"}},
	}
}

// TestMarkdownFrom: the parts together are the whole page. A page that begins at any
// part names the speaker and time of its first piece.
func TestMarkdownFrom(t *testing.T) {
	c, page := refusedSession(), Page{}
	var whole strings.Builder
	if err := page.Markdown(&whole, c); err != nil {
		t.Fatal(err)
	}
	var parts strings.Builder
	numbers := 0
	for n, part := range page.MarkdownFrom(c, 0) {
		if n != numbers {
			t.Errorf("part %d is numbered %d", numbers, n)
		}
		numbers++
		parts.WriteString(part)
	}
	if numbers != 6 || parts.String() != whole.String() {
		t.Errorf("%d parts:\n%s\nwant the page:\n%s", numbers, parts.String(), whole.String())
	}
	for n, part := range page.MarkdownFrom(c, 3) {
		if want := "\n### agent 2026-10-08 12:00 :1\n"; n != 3 || !strings.HasPrefix(part, want) {
			t.Errorf("part %d, from 3 on: %q, want %q first", n, part, want)
		}
		break
	}
}

// TestMarkdownSaysWhatCameNext: if the log has no reason for a refusal, the page shows
// what the user typed next.
func TestMarkdownSaysWhatCameNext(t *testing.T) {
	var b strings.Builder
	if err := (Page{}).Markdown(&b, refusedSession()); err != nil {
		t.Fatal(err)
	}
	if want := "\n> what you typed next: not\n> like this\n"; !strings.Contains(b.String(), want) {
		t.Errorf("%s\nlacks %q", b.String(), want)
	}
}

// TestLongLines: a cut line of a tool's input or output says how much is left out.
// Texts by people and agents stay whole.
func TestLongLines(t *testing.T) {
	var b strings.Builder
	if err := (Page{Line: 10}).Markdown(&b, refusedSession()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n" + strings.Repeat("é", 10) + "…[10 of 30 characters]\n", "\nmake xxxxx…[10 of 35 characters]\n", "\n> like this\n\nlong long"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s\nlacks %q", b.String(), want)
		}
	}
}
