package conversation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/queries/conversation"
)

// TestReplace replaces every text, and no id.
func TestReplace(t *testing.T) {
	made := func(secret string) *conversation.Conversation {
		s := conversation.Session{Agent: "claude", ID: "hush", Parent: "hush", About: secret, Project: secret, ProjectName: secret, Model: secret, Branch: secret, Resume: secret}
		return &conversation.Conversation{Session: s, Subagents: []conversation.Session{s}, Pieces: []conversation.Piece{
			{Kind: conversation.Prompt, Text: secret, What: secret, Link: "hush"},
			{Kind: conversation.Call, Call: &conversation.ToolCall{ID: "hush", Tool: secret, Command: secret, File: secret, Input: `"` + secret + `"`, Output: secret,
				Refusal: &conversation.Refusal{By: "user", Reason: secret, Next: secret, Diff: secret}}},
		}}
	}
	got, asJSON := made("hush"), 0
	got.Replace(func(text string, isJSON bool) string {
		if isJSON {
			asJSON++
		}
		return strings.ReplaceAll(text, "hush", "gone")
	})
	if diff := cmp.Diff(made("gone"), got); diff != "" || asJSON != 1 {
		t.Errorf("%d texts of JSON; %s", asJSON, diff)
	}
}
