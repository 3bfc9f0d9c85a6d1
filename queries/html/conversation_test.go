package html_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"hindsql/internal/whole"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

var noon = time.Date(2026, 10, 13, 12, 0, 0, 0, time.UTC)

// talk returns a conversation with every kind of event, and the given text in every
// place where a log may have text.
func talk(text string) *conversation.Conversation {
	call := func(id, status string, refusal *conversation.Refusal) conversation.Piece {
		return conversation.Piece{Kind: conversation.Call, Index: 2, Time: noon, Who: "agent", Call: &conversation.ToolCall{
			ID: id, Tool: "Edit" + text, File: "/work/x.go" + text, Status: status, Result: 3, Refusal: refusal, Subagent: text,
			Input: fmt.Sprintf(`{"file_path": "/work/x.go", "old_string": "a := 1", "new_string": "a := 2", %q: [%q], "n": null}`, text, text), Output: text,
		}}
	}
	c := &conversation.Conversation{Session: conversation.Session{Agent: "x", ID: text + "0123456789", Project: "/work"}, Pieces: []conversation.Piece{
		{Kind: conversation.Copied, Index: -1, Time: noon, Count: 2, Link: text},
		{Kind: conversation.Prompt, Index: 1, Time: noon, Who: "you", Text: text},
		{Kind: conversation.Thinking, Index: 2, Time: noon, Who: "agent", Text: "hm\n" + text},
		{Kind: conversation.Answer, Index: 2, Time: noon, Who: "agent", Text: text},
		call("one", "ok", nil),
		call("two", "rejected", &conversation.Refusal{By: "user", Reason: "because " + text, Next: "next " + text, Diff: "@@ -1 +1 @@\n-a\n+b\n"}),
		call(text, "lost", nil),
		{Kind: conversation.Stop, Index: 4, Time: noon, What: "you stopped " + text, Text: text},
		{Kind: conversation.Compaction, Index: 5, Time: noon.AddDate(0, 0, 1), What: text, Text: text},
		{Kind: conversation.Clear, Index: 6, What: text, Link: text},
		{Kind: "injected", Index: 7, Who: text, Text: text + "\n" + text, Abandoned: true},
		{Kind: conversation.LeftOut, Index: 7, Count: 1},
	}}
	return c
}

func TestConversationIsHarmless(t *testing.T) {
	links := html.Links{
		Session: func(agent, id string, n int64) string { return "/session/" },
		Whole:   func(agent, session, id, part string) string { return "/text/" },
		Inside:  func(_, id string) *conversation.Conversation { return talk("inside") },
	}
	for i, text := range append(hostile(), strings.Repeat("long ", 50_000)) {
		if i%whole.Or(1, 4) != 0 {
			continue
		}
		for _, find := range []string{"", "span"} {
			links.Find = find
			page := string(html.Conversation(talk(text), links))
			isHarmless(t, text, page)
			ids := map[string]bool{}
			for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
				if ids[m[1]] {
					t.Errorf("%.60q: two elements have the id %s", text, m[1])
				}
				ids[m[1]] = true
			}
		}
	}
}

// TestConversation checks the words for the results of calls and other events.
func TestConversation(t *testing.T) {
	page := string(html.Conversation(talk("words"), html.Links{}))
	for _, want := range []string{
		`<article class="message by-you" id="m1"`, `<article class="message by-agent" id="m2"`, `aria-label="3 calls at once"`, `<details class="piece call ok" id="c-one">`,
		`<details class="piece call refused" id="c-two" open>`, "refused by you", "because words", "What you typed next", "lost: its result is not in the log",
		"<strong>2 messages copied from</strong>", "<strong>You stopped words</strong>", "<strong>Compacted: words</strong>", "<strong>Cleared: words →</strong>", "<strong>1 message left out</strong>",
		`<time datetime="2026-10-13T12:00:00Z">12:00</time>`, "Wednesday, 14 October 2026", `<span class="state">abandoned</span>`, `<tr class="add">`, `<code class="gist">x.gowords</code>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if strings.Contains(page, "<a class=\"session\"") {
		t.Error("a link, and nobody gave one")
	}
}

// TestEditsOfOneSide: an edit that only deletes or only inserts is a diff, too.
func TestEditsOfOneSide(t *testing.T) {
	for input, want := range map[string]string{
		`{"old_string": "gone", "new_string": ""}`: "@@ -1 +0,0 @@",
		`{"old_string": "", "new_string": "came"}`: "@@ -0,0 +1 @@",
	} {
		c := talk("")
		c.Pieces = c.Pieces[4:5]
		c.Pieces[0].Call.Input = input
		if page := string(html.Conversation(c, html.Links{})); !strings.Contains(page, want) {
			t.Errorf("%s: no %s in %s", input, want, page)
		}
	}
}
