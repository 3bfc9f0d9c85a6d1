package opencode_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers/opencode"
)

// happened is the expected result of a recorded scenario.
type happened struct {
	scenario string
	list     []string
}

// recorded holds the results of each labelled session, written by hand. The keys are
// the ends of session ids.
var recorded = map[string]happened{
	"CnYnbRNg2yzX": {"recorded/abort-at-prompt", []string{"1 prompt", "bash interrupted", "user stop, tool, 17 bytes said"}},
	"yV16s8EkIWnx": {"recorded/abort-during-tool", []string{"1 prompt", "bash interrupted", "user stop, tool, 9 bytes said"}},
	"V1bDACYmWh2g": {"recorded/abort-mid-stream", []string{"2 prompts", "user stop, response, 127 bytes said"}},
	"UZvFuQGfiMsw": {"recorded/approve-always", []string{"2 prompts", "bash ok 0", "bash ok 0"}},
	"RHZ7U65tbpbe": {"recorded/basic", []string{"1 prompt", "bash ok 0"}},
	"zzqxKHOKdKmG": {"recorded/batch-first-ok-second-refused", []string{"1 prompt", "bash ok 0", "bash rejected command by user", "bash skipped with call 2"}},
	"ee8IXhUPxYD8": {"recorded/batch-first-refused", []string{"1 prompt", "bash rejected command by user", "bash skipped with call 1", "bash skipped with call 1"}},
	"iI5WY1Zf43n6": {"recorded/batch-first-refused-feedback", []string{"1 prompt", "bash rejected command by user, 17 bytes of reason", "bash skipped with call 1", "bash skipped with call 1"}},
	"F7QUtnEEV5fL": {"recorded/compact-auto", []string{"command of 0 bytes", "3 prompts", "auto compaction of 19501 tokens to 9 bytes"}},
	"RMH0xnO7yBwQ": {"recorded/compact-auto", []string{"command of 0 bytes", "3 prompts", "auto compaction of 19501 tokens to 9 bytes"}},
	"aGEdgwpxvhXZ": {"recorded/compact-manual", []string{"command of 8 bytes", "3 prompts", "manual compaction of 3397 tokens to 9 bytes"}},
	"nBaBPlvI8n32": {"recorded/compact-manual", []string{"command of 8 bytes", "3 prompts", "manual compaction of 3397 tokens to 9 bytes"}},
	"DCuM12Rtpqzi": {"recorded/deny", []string{"1 prompt", "bash rejected command by user"}},
	"ounYXCwP5K39": {"recorded/deny-feedback", []string{"1 prompt", "bash rejected command by user, 30 bytes of reason"}},
	"ZR86c5p9iv6f": {"recorded/edit-deny-feedback", []string{"1 prompt", "edit rejected edit by user, 32 bytes of reason"}},
	"vxYczzraKYMn": {"recorded/edit-deny-feedback", []string{"1 prompt", "edit rejected edit by user, 32 bytes of reason"}},
	"gycPPDKDjUOZ": {"recorded/error-500", []string{"error of 17 bytes", "1 prompt", "system stop, response"}},
	"a7YsEe20rWRS": {"recorded/fork", []string{"3 prompts", "fork of X5zSP7QCXAn7"}},
	"X5zSP7QCXAn7": {"recorded/fork", []string{"2 prompts"}},
	"KB4G9e6uzPZX": {"recorded/invalid-tool", []string{"1 prompt", "invalid error invalid_call"}},
	"8i8pzziPajJf": {"recorded/question-answered", []string{"1 prompt", "question ok"}},
	"xMZiLK1yVhKz": {"recorded/question-rejected", []string{"1 prompt", "question rejected option by user"}},
	"KZgsZabsLnqE": {"recorded/revert", []string{"2 prompts", "2 messages undone", "bash ok 0"}},
	"zvN6nh34ipnn": {"recorded/revert", []string{"2 prompts", "bash interrupted", "user stop, tool, 14 bytes said"}},
	"Kd44eTyl0TVk": {"recorded/revert-continue", []string{"3 prompts", "2 messages undone"}},
	"tN2fl40V4RT6": {"recorded/revert-continue", []string{"3 prompts", "2 messages undone"}},
	"bRODLFGKXOle": {"recorded/rule-denied", []string{"1 prompt", "bash denied permission by rule"}},
	"mNzsO1Vl9znK": {"recorded/shell", []string{"command of 23 bytes", "0 prompts"}},
	"P2ooZJg68MYd": {"recorded/subagent", []string{"0 prompts", "bash rejected command by user, 19 bytes of reason", "subagent of OTcOSZfAB2z1"}},
	"4J8CrGSTBqv1": {"recorded/subagent", []string{"0 prompts", "subagent of 5yyFQPo8yXVw"}},
	"5yyFQPo8yXVw": {"recorded/subagent", []string{"1 prompt", "task ok as 4J8CrGSTBqv1"}},
	"OTcOSZfAB2z1": {"recorded/subagent-denied", []string{"1 prompt", "task ok as P2ooZJg68MYd"}},
	"mTpNoXRjQFby": {"recorded/tool-error", []string{"1 prompt", "bash error 3 exit_code"}},
	"yHKhVe3AYJ7H": {"recorded/tui", []string{"1 prompt"}},
	"t6MIpMShLntq": {"recorded/tui", []string{"5 prompts", "bash rejected command by user", "bash rejected command by user", "user stop, response, 63 bytes said"}},
	"MzaDg3ZXHs4T": {"recorded/unlabelled", []string{"1 prompt"}},
	"IbPc4wBI2Muo": {"recorded-1.1.65/abort-at-prompt", []string{"1 prompt", "bash pending"}},
	"i7gM3WBkIqpY": {"recorded-1.1.65/abort-during-tool", []string{"1 prompt", "bash interrupted", "user stop, tool, 9 bytes said"}},
	"hCL5o0TsnRM6": {"recorded-1.1.65/abort-mid-stream", []string{"2 prompts", "user stop, response, 123 bytes said"}},
	"2UQgtutMTqwH": {"recorded-1.1.65/basic", []string{"1 prompt", "bash ok 0"}},
	"JaVSkoxESjdi": {"recorded-1.1.65/batch-first-refused-feedback", []string{"1 prompt", "bash rejected command by user, 17 bytes of reason", "bash skipped with call 1", "bash skipped with call 1"}},
	"RN3HuWkfqIf9": {"recorded-1.1.65/compact-manual", []string{"command of 8 bytes", "3 prompts", "manual compaction of 3512 tokens to 9 bytes"}},
	"wsYJONp4JcNC": {"recorded-1.1.65/deny", []string{"1 prompt", "bash rejected command by user"}},
	"Td33kovl9H8I": {"recorded-1.1.65/deny-feedback", []string{"1 prompt", "bash rejected command by user, 30 bytes of reason"}},
	"8fylzCOWxILn": {"recorded-1.1.65/edit-unread", []string{"1 prompt", "edit error other"}},
	"hxBikgUXH7RX": {"recorded-1.1.65/fork", []string{"3 prompts", "fork of 54XFiHuS3HUj"}},
	"54XFiHuS3HUj": {"recorded-1.1.65/fork", []string{"2 prompts"}},
	"iSuhhnrmyNR5": {"recorded-1.1.65/question-rejected", []string{"1 prompt", "question rejected option by user"}},
	"x8Wcxw6j4VYb": {"recorded-1.1.65/revert-continue", []string{"2 prompts"}},
	"Wwx3TFKcS4dk": {"recorded-1.1.65/rule-denied", []string{"1 prompt", "bash denied permission by rule"}},
	"24MmlnysS03W": {"recorded-1.1.65/tool-error", []string{"1 prompt", "bash error 3 exit_code"}},
}

// TestRecorded: each recorded session, in the database and in the tree, gives the
// result of its label.
func TestRecorded(t *testing.T) {
	home := corpus.Home(t, "new-agents")
	all := loadAll(t, opencode.Reader, filepath.Join(home, ".local", "share", "opencode"), filepath.Join(home, ".local", "state", "opencode"))
	seen := 0
	for id, rows := range all {
		want, known := recorded[end(id)]
		if !known {
			continue
		}
		seen++
		if diff := cmp.Diff(want.list, rows.happened()); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", id, want.scenario, diff)
		}
	}
	if seen != len(recorded) {
		t.Errorf("%d of %d sessions are there", seen, len(recorded))
	}
	if n := len(all[""]["prompts"]); n != 6 {
		t.Errorf("%d typed prompts, want 6", n)
	}
	for id, rows := range all {
		for _, kind := range rows["file_kinds"] {
			if kind["known"] == false {
				t.Errorf("%s: unknown kind %v", id, kind["kind"])
			}
		}
		if len(rows["problems"]) > 0 {
			t.Errorf("%s: %v", id, rows["problems"])
		}
	}
}
