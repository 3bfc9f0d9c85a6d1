package codex

import (
	"strings"

	"hindsql/internal/pattern"
	"hindsql/tables"
)

// refusal is the decision about a call that the call's output states (FORMAT.md §6).
type refusal struct {
	by         string // a DecidedBy constant
	evidence   string
	confidence float64
	reason     string // a reviewing model's reason; empty if none
	kind       string // Codex's own word; empty if none
}

func (d refusal) status() string {
	if d.by == tables.ByUser {
		return tables.StatusRejected
	}
	return tables.StatusDenied
}

func recordedRefusal(by string) refusal {
	return refusal{by: by, evidence: tables.EvidenceRecorded, confidence: 1}
}

// inferredRefusal returns a refusal by the user that the log doesn't state.
func inferredRefusal(confidence float64) refusal {
	return refusal{by: tables.ByUser, evidence: tables.EvidenceInferred, confidence: confidence}
}

// mostByWording is the highest confidence of a refusal that only words show.
const mostByWording = 0.5

// byWording returns the refusal with a lower confidence, because only words in an
// output show it. A script or server can write any words. So the author becomes
// unknown, and the reason is dropped.
func (d refusal) byWording() refusal {
	return refusal{by: tables.ByUnknown, evidence: tables.EvidenceWording, confidence: min(d.confidence, mostByWording), kind: d.kind}
}

// wrapped lists the texts in which Codex wraps a reason: for commands and patches, for
// unified exec by version, and for MCP servers.
var wrapped = []struct {
	form  string // with %s for the reason
	shape *pattern.Pattern
}{
	{`exec command rejected: %s`, pattern.Lazy(`(?s)^exec command rejected(?: by policy)?: (.*)$`)},
	{`patch rejected: %s`, pattern.Lazy(`(?s)^patch rejected: (.*)$`)},
	{`exec_command failed: CreateProcess { message: "Rejected(\"%s\")" }`, pattern.Lazy(`(?s)^exec_command failed(?: for .*)?: CreateProcess \{ message: "Rejected\(\\?"(.*?)\\?"\)" \}$`)},
	{`exec_command failed: Rejected("%s")`, pattern.Lazy(`(?s)^exec_command failed(?: for .*)?: Rejected\("(.*)"\)$`)},
	{`exec_command failed: Rejected { reason: "%s" }`, pattern.Lazy(`(?s)^exec_command failed(?: for .*)?: Rejected \{ reason: "(.*)" \}$`)},
	{`err: "%s"`, pattern.Lazy(`(?s)^err: "(.*)"$`)},
}

// cancelledWords follow a tool's name in the output of a question that got no answer.
const cancelledWords = " was cancelled before receiving a response"

// refusalIn reads a refusal that Codex wrote in place of a call's output; false if text
// states none. The caller makes sure that Codex wrote the text: a command that ran may
// print anything.
func refusalIn(text string) (refusal, bool) {
	text = strings.TrimSpace(text)
	for _, w := range wrapped {
		if m := w.shape.FindStringSubmatch(text); m != nil {
			d, ok := reasonIn(m[1])
			if !ok && !strings.HasPrefix(text, "err: ") {
				return refusal{by: tables.ByUnknown, evidence: tables.EvidenceRecorded, confidence: 0.5}, true
			}
			return d, ok
		}
	}
	return reasonIn(text)
}

// serverRefusal reads a refusal that stands in place of an MCP server's answer; false
// if text states none. It accepts only the words that Codex uses for MCP calls.
func serverRefusal(text string) (refusal, bool) {
	if inner, ok := strings.CutPrefix(text, `err: "`); ok {
		text = strings.TrimSuffix(inner, `"`)
	}
	d, ok := reasonIn(text)
	return d, ok && (d.kind != "" || strings.HasPrefix(text, "MCP tool call "))
}

// userRefusals lists the words of a person's refusal.
var userRefusals = []struct {
	text string
	refusal
}{
	{"exec command rejected by user", recordedRefusal(tables.ByUser)},
	{"patch rejected by user", recordedRefusal(tables.ByUser)},
	{"rejected by user", recordedRefusal(tables.ByUser)},
	{"user rejected MCP tool call", refusal{by: tables.ByUser, evidence: tables.EvidenceRecorded, confidence: 1, kind: "rejected"}},
	{"user cancelled MCP tool call", refusal{by: tables.ByUser, evidence: tables.EvidenceRecorded, confidence: 1, kind: "cancelled"}},
	{"approval request aborted", inferredRefusal(0.7)},
}

// reasons maps the beginning of a refusal's reason to who refused. "rejected by user
// approval settings" names the user, but a rule refused.
var reasons = []struct{ start, by, kind string }{
	{"This action was rejected due to unacceptable risk", tables.ByClassifier, riskWord},
	{"Guardian rejected this action due to unacceptable risk", tables.ByClassifier, riskWord},
	{"The automatic permission approval review did not finish", tables.ByNobody, reviewFailed},
	{"The automatic permission approval review", tables.ByClassifier, reviewFailed},
	{"Automatic approval review failed", tables.ByClassifier, reviewFailed},
	{"Automatic approval review timed out", tables.ByClassifier, reviewFailed},
	{"The action was not executed because automatic approval review", tables.ByClassifier, reviewFailed},
	{"Command blocked by PreToolUse hook", tables.ByHook, ""},
	{"Tool call blocked by PreToolUse hook", tables.ByHook, ""},
	{"blocked by hook", tables.ByHook, ""},
	{"hook blocked", tables.ByHook, ""},
	{"auto-rejected because command is not on trusted list", tables.ByRule, ""},
	{"writing outside of the project; rejected by user approval settings", tables.ByRule, ""},
	{"rejected by user approval settings", tables.ByRule, ""},
	{"approval required by policy", tables.ByRule, ""},
	{"approval policy is ", tables.ByRule, ""},
	{"policy forbids commands", tables.ByRule, ""},
	{"blocked by policy", tables.ByRule, ""},
	{"rejected: blocked by policy", tables.ByRule, ""},
	{"rejected by configuration", tables.ByRule, ""},
	{"MCP tool call blocked by app configuration", tables.ByRule, ""},
	{"approval request failed", tables.ByUnknown, ""},
}

var (
	commandRejected = pattern.Lazy("(?s)^`.*` rejected: ")
	networkBlocked  = pattern.Lazy(`^Network access to \S+ was blocked by policy`)
)

// reasonIn returns the refusal that a reason states; false if the reason is unknown.
func reasonIn(reason string) (refusal, bool) {
	reason = strings.TrimSpace(strings.ReplaceAll(reason, `\"`, `"`))
	for _, d := range userRefusals {
		if reason == d.text {
			return d.refusal, true
		}
	}
	for _, r := range reasons {
		if strings.HasPrefix(reason, r.start) {
			d := recordedRefusal(r.by)
			switch d.kind = r.kind; r.by {
			case tables.ByClassifier:
				d.setReviewReason(reason)
			case tables.ByHook:
				_, d.reason, _ = strings.Cut(reason, " hook: ")
			}
			return d, true
		}
	}
	if commandRejected.MatchString(reason) || networkBlocked.MatchString(reason) {
		return recordedRefusal(tables.ByRule), true
	}
	return refusal{}, false
}

// hookWords returns a hook's words, without the call that the program wrote after them.
func (c *call) hookWords(text string) string {
	if words, ok := strings.CutSuffix(text, ". Command: "+c.Command); ok {
		return words
	}
	return blockedCall.ReplaceAllString(text, "")
}

var blockedCall = pattern.Lazy(`(?s)\. (?:Command|Tool): .*$`)

var abortedAfter = pattern.Lazy(`^aborted by user after ([\d.]+)s`)

// isAbort reports whether text is what Codex writes for a call when the user stops the
// turn, while the call ran or waited for an answer (FORMAT.md §6.2).
func isAbort(text string) bool {
	text = strings.TrimSpace(text)
	return text == "aborted" || text == "aborted by user" || abortedAfter.MatchString(text)
}
