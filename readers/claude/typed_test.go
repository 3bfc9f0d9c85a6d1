package claude

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

func TestReadTexts(t *testing.T) {
	for _, test := range []struct {
		texts  []string
		images bool
		want   userText
	}{
		{[]string{"why?"}, false, userText{kind: tables.KindPrompt, text: "why?"}},
		{[]string{" why? "}, false, userText{kind: tables.KindPrompt, text: " why? "}},
		{[]string{"<ide_opened_file>a.go</ide_opened_file>", "why?"}, false,
			userText{tables.KindPrompt, "why?", []string{"<ide_opened_file>a.go</ide_opened_file>"}}},
		{[]string{"<system-reminder>x</system-reminder>\n<ide_selection>y</ide_selection>\nwhy?"}, false,
			userText{tables.KindPrompt, "why?", []string{"<system-reminder>x</system-reminder>", "<ide_selection>y</ide_selection>"}}},
		{[]string{"first", "<task-notification>t</task-notification>", "second"}, false,
			userText{tables.KindPrompt, "first\n\nsecond", []string{"<task-notification>t</task-notification>"}}},
		{[]string{"<command-name>/x</command-name>", "and then"}, false, userText{kind: tables.KindPrompt, text: "/x\n\nand then"}},
		{[]string{"<system-reminder>x</system-reminder>", "<command-name>/compact</command-name>"}, false,
			userText{tables.KindCommand, "/compact", []string{"<system-reminder>x</system-reminder>"}}},
		{[]string{"<system-reminder>x</system-reminder>"}, false, userText{kind: tables.KindInjected, text: "<system-reminder>x</system-reminder>"}},
		{[]string{"<system-reminder>never closed", "why?"}, false, userText{kind: tables.KindPrompt, text: "<system-reminder>never closed\n\nwhy?"}},
		{nil, true, userText{kind: tables.KindPrompt}},
		{[]string{"<ide_selection>y</ide_selection>"}, true, userText{tables.KindPrompt, "", []string{"<ide_selection>y</ide_selection>"}}},
		{[]string{"<task-notification>t"}, true, userText{kind: tables.KindInjected, text: "<task-notification>t"}},
		{[]string{"The user sent a new message while you were working:\nstop that"}, false, userText{kind: tables.KindPrompt, text: "stop that"}},
		{[]string{"The user sent a new message while you were working:\nstop that\n\nnow\n\nIMPORTANT: After completing your current task, you MUST address the user's message above. Do not ignore it."}, false,
			userText{kind: tables.KindPrompt, text: "stop that\n\nnow"}},
		{[]string{"see <system-reminder>x</system-reminder>"}, false, userText{kind: tables.KindPrompt, text: "see <system-reminder>x</system-reminder>"}},
	} {
		got := parseTexts(test.texts, test.images)
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(userText{})); diff != "" {
			t.Errorf("%q (-want +got)\n%s", test.texts, diff)
		}
	}
}

func TestCommandText(t *testing.T) {
	for text, want := range map[string]string{
		"<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>":     "/clear",
		"<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n<command-args>the <b> tag\n2</command-args>": "/review the <b> tag\n2",
		"<command-message>init</command-message>\n<command-name>init</command-name>":                                                               "/init",
		"<bash-input> git pull </bash-input>": "!git pull",
		"<bash-input>cut off":                 "<bash-input>cut off",
		"<command-name></command-name>":       "<command-name></command-name>",
		"<command-message>cut off":            "<command-message>cut off",
	} {
		if got := commandText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestTypedKind tests who typed a line, by the newest field of the line.
func TestTypedKind(t *testing.T) {
	const prompt = tables.KindPrompt
	for _, test := range []struct{ line, text, kind, by string }{
		{`{}`, "x", prompt, ""},
		{`{"turnOrigin":"human","origin":{"kind":"peer"},"promptSource":"sdk","entrypoint":"sdk-py"}`, "x", prompt, ""},
		{`{"turnOrigin":"sdk"}`, "x", prompt, "sdk"},
		{`{"turnOrigin":"scheduled"}`, "x", prompt, "scheduled"},
		{`{"turnOrigin":"auto_continuation"}`, "x", tables.KindInjected, ""},
		{`{"turnOrigin":"made_up"}`, "x", tables.KindInjected, ""},
		{`{"scheduledTaskId":"t1"}`, "x", prompt, "scheduled"},
		{`{"wakeupSource":"timer"}`, "x", tables.KindInjected, ""},
		{`{"turnCompanion":true}`, "x", tables.KindInjected, ""},
		{`{"turnCompanion":false,"wakeupSource":null}`, "x", prompt, ""},
		{`{"origin":{"kind":"human"},"promptSource":"system"}`, "x", prompt, ""},
		{`{"origin":{"kind":"task-notification"},"promptSource":"typed"}`, "x", tables.KindInjected, ""},
		{`{"promptSource":"queued","entrypoint":"sdk-ts"}`, "x", prompt, ""},
		{`{"promptSource":"suggestion_accepted"}`, "x", prompt, ""},
		{`{"promptSource":"sdk"}`, "x", prompt, "sdk"},
		{`{"promptSource":"system"}`, "x", tables.KindInjected, ""},
		{`{"entrypoint":"sdk-cli"}`, "x", prompt, "sdk"},
		{`{"entrypoint":"cli"}`, "x", prompt, ""},
		{`{"isSidechain":true}`, "x", tables.KindInjected, ""},
		{`{"type":"attachment","attachment":{"origin":{"kind":"coordinator"}}}`, "x", tables.KindInjected, ""},
		{`{"planContent":"# P"}`, "anything", tables.KindInjected, ""},
		{`{}`, "Implement the following plan:\n\n# P", tables.KindInjected, ""},
		{`{"promptSource":"typed"}`, "Implement the following plan:\n\n# P", prompt, ""},
		{`{}`, "Implement the following plan: all of it", prompt, ""},
	} {
		tr := newTranscript(&readers.Input{Rel: "projects/p/s.jsonl"})
		r := tr.parser.parse(fastjson.MustParse(test.line), 1)
		kind, by := tr.typedKind(r, parseTexts([]string{test.text}, false))
		if kind != test.kind || by != test.by {
			t.Errorf("%s %q: %s by %q, want %s by %q", test.line, test.text, kind, by, test.kind, test.by)
		}
	}
}
