package codex

import (
	"regexp"
	"strings"

	"hindsql/tables"
)

// refusal is what a call's output says of a decision about it (§6).
type refusal struct {
	by         string // a DecidedBy constant
	evidence   string
	confidence float64
	reason     string // a reviewing model's
}

func (d refusal) status() string {
	if d.by == tables.ByUser {
		return tables.StatusRejected
	}
	return tables.StatusDenied
}

func recorded(by string) refusal {
	return refusal{by: by, evidence: tables.EvidenceRecorded, confidence: 1}
}

// inferredFrom is a refusal by the user that no words state.
func inferredFrom(confidence float64) refusal {
	return refusal{by: tables.ByUser, evidence: tables.EvidenceInferred, confidence: confidence}
}

// wrapped are the shapes in which a reason stands (§6.1, §6.3): shell and
// patches, unified exec, MCP.
var wrapped = []*regexp.Regexp{
	regexp.MustCompile(`(?s)^exec command rejected(?: by policy)?: (.*)$`),
	regexp.MustCompile(`(?s)^patch rejected: (.*)$`),
	regexp.MustCompile(`(?s)^exec_command failed(?: for .*?)?: CreateProcess \{ message: "Rejected\(\\?"(.*?)\\?"\)" \}`),
	regexp.MustCompile(`(?s)^exec_command failed(?: for .*?)?: Rejected\("(.*)"\)`),
	regexp.MustCompile(`(?s)^exec_command failed(?: for .*?)?: Rejected \{ reason: "(.*)" \}`),
	regexp.MustCompile(`(?s)^err: "(.*)"$`),
}

var cancelledQuestion = regexp.MustCompile(`^\S+ was cancelled before receiving a response$`)

// refusalIn reads an output that has no exit code: a command that ran may print
// anything.
func refusalIn(text string) (refusal, bool) {
	text = strings.TrimSpace(text)
	for _, shape := range wrapped {
		if m := shape.FindStringSubmatch(text); m != nil {
			d, ok := reasonIn(m[1])
			if !ok && !strings.HasPrefix(text, "err: ") {
				return refusal{by: tables.ByUnknown, evidence: tables.EvidenceRecorded, confidence: 0.5}, true
			}
			return d, ok
		}
	}
	switch {
	case text == "exec command rejected by user", text == "patch rejected by user":
		return recorded(tables.ByUser), true
	case cancelledQuestion.MatchString(text):
		return inferredFrom(0.6), true
	}
	return reasonIn(text)
}

// reasons by how they begin. "rejected by user approval settings" is a rule.
var reasons = []struct{ start, by string }{
	{"This action was rejected due to unacceptable risk", tables.ByClassifier},
	{"The automatic permission approval review", tables.ByClassifier},
	{"auto-rejected because command is not on trusted list", tables.ByRule},
	{"writing outside of the project; rejected by user approval settings", tables.ByRule},
	{"rejected by user approval settings", tables.ByRule},
	{"approval required by policy", tables.ByRule},
	{"approval policy is ", tables.ByRule},
	{"policy forbids commands", tables.ByRule},
	{"blocked by policy", tables.ByRule},
	{"rejected: blocked by policy", tables.ByRule},
	{"rejected by configuration", tables.ByRule},
	{"MCP tool call blocked by app configuration", tables.ByRule},
	{"approval request failed", tables.ByUnknown},
}

var (
	commandRejected = regexp.MustCompile("(?s)^`.*` rejected: ")
	networkBlocked  = regexp.MustCompile(`^Network access to \S+ was blocked by policy`)
)

// reasonIn reads the reason of a refusal.
func reasonIn(reason string) (refusal, bool) {
	reason = strings.TrimSpace(strings.ReplaceAll(reason, `\"`, `"`))
	switch reason {
	case "rejected by user", "user rejected MCP tool call", "user cancelled MCP tool call":
		return recorded(tables.ByUser), true
	case "approval request aborted":
		return inferredFrom(0.7), true
	}
	for _, r := range reasons {
		if strings.HasPrefix(reason, r.start) {
			d := recorded(r.by)
			if r.by == tables.ByClassifier {
				d.reason = rationaleOf(reason)
			}
			return d, true
		}
	}
	switch {
	case commandRejected.MatchString(reason), networkBlocked.MatchString(reason):
		return recorded(tables.ByRule), true
	case strings.Contains(reason, "blocked by hook"), strings.Contains(reason, "hook blocked"):
		return recorded(tables.ByHook), true
	}
	return refusal{}, false
}

var abortedAfter = regexp.MustCompile(`^aborted by user after ([\d.]+)s`)

// isAbort: the words that stand for the output of a call that an interrupt of
// the turn cut, or that waited for an answer when it came (§6.2).
func isAbort(text string) bool {
	text = strings.TrimSpace(text)
	return text == "aborted" || text == "aborted by user" || abortedAfter.MatchString(text)
}
