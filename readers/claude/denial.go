package claude

import (
	"regexp"
	"strings"

	"hindsql/tables"
)

// denial is what a result's text, or its structured fields, say of a refusal.
type denial struct {
	status string // StatusRejected, StatusDenied or StatusInterrupted
	by     string // a DecidedBy constant
	reason string // the user's words
	stop   bool   // the agent was told to stop: an interruption line follows (§7)

	clarify bool // the user wants to talk about the questions first (R5)
}

// The fixed texts of §6.1. R1, R2 and R3 share a beginning.
const (
	refusal        = "The user doesn't want to proceed with this tool use."
	reasonCLI      = "To tell you how to proceed, the user said:\n"                // R1
	reasonVSCode   = "The user provided the following reason for the rejection:  " // R3
	stopNow        = "STOP what you are doing and wait for the user"               // R2
	noteTail       = "\n\nNote: The user's next message may contain a correction"  // R2b
	notNow         = "The user doesn't want to take this action right now."        // R4
	clarify        = "The user wants to clarify these questions."                  // R5
	promptAborted  = "Permission prompt was aborted."                              // R7
	subagentDenied = "Permission for this tool use was denied."                    // R13
	subagentReason = "The user said:\n"                                            // R13
	planRejected   = "The agent proposed a plan that was rejected by the user."    // R14
	interruptTool  = "[Request interrupted by user for tool use]"                  // §7
	interruptPlain = "[Request interrupted by user]"                               // §7
)

// machineDenials are the refusals of §6.1 that nobody typed, R8 to R12, by the
// pattern of their text.
var machineDenials = []struct {
	text *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`(?s)^Claude requested permissions to .*, but you haven't granted it yet`), tables.ByRule},
	{regexp.MustCompile(`(?s)^Permission to use .* has been denied`), tables.ByRule},
	{regexp.MustCompile(`^(PreToolUse|PermissionRequest):\S+ hook error: `), tables.ByHook},
	{regexp.MustCompile(`^Permission for this action (was denied by the Claude Code auto mode classifier|has been denied\. Reason:)`), tables.ByClassifier},
	{regexp.MustCompile(`^(The )?Claude Code auto mode .*gave no verdict`), tables.ByClassifier},
	{regexp.MustCompile(`^This command requires approval`), tables.ByRule},
	{regexp.MustCompile(`^This Bash command contains multiple operations\. The following parts? requires? approval`), tables.ByRule},
	{regexp.MustCompile(`^find contains unquoted glob characters`), tables.ByRule},
	{regexp.MustCompile(`(?s)^\S+ (in|to) '.*' was blocked\. For security, Claude Code may only`), tables.ByRule},
	{regexp.MustCompile(`^<tool_use_error>Blocked: `), tables.ByRule},
}

// denialOf tells whether a failed result is a refusal. The structured fields
// of §6.2 come first; the text decides where they are missing, and where
// user-rejected was written although nobody was asked.
func denialOf(r *record, text string) (denial, bool) {
	byText, ok := denialInText(text)
	if feedback := r.GetStringBytes("userFeedback"); len(feedback) > 0 && byText.status != tables.StatusDenied {
		return denial{status: tables.StatusRejected, by: tables.ByUser, reason: userWords(string(feedback)), stop: byText.stop, clarify: byText.clarify}, true
	}
	if d, recorded := denialInDecision(r, byText); recorded {
		return d, true
	}
	switch string(r.GetStringBytes("toolDenialKind")) {
	case "permission-rule":
		return denial{status: tables.StatusDenied, by: machine(byText, tables.ByRule)}, true
	case "automode-blocked", "automode-unavailable":
		return denial{status: tables.StatusDenied, by: tables.ByClassifier}, true
	case "interrupted", "cancelled":
		return denial{status: tables.StatusInterrupted, stop: byText.stop}, true
	case "user-rejected":
		if !ok {
			return userRejectedUnworded(r), true
		}
	}
	return byText, ok
}

// denialInDecision reads permissionDecision, which ≈ 2.1.28x began to write.
func denialInDecision(r *record, byText denial) (denial, bool) {
	decision := r.Get("permissionDecision")
	if string(decision.GetStringBytes("decision")) != "reject" {
		return denial{}, false
	}
	switch string(decision.GetStringBytes("source")) {
	case "user_reject", "user_abort":
		if byText.status == tables.StatusDenied {
			return byText, true // a check with nobody to ask, under a user's name (R12)
		}
		byText.status, byText.by = tables.StatusRejected, tables.ByUser
		return byText, true
	case "hook":
		return denial{status: tables.StatusDenied, by: tables.ByHook}, true
	}
	switch string(decision.GetStringBytes("reasonType")) {
	case "hook":
		return denial{status: tables.StatusDenied, by: tables.ByHook}, true
	case "classifier":
		return denial{status: tables.StatusDenied, by: tables.ByClassifier}, true
	}
	return denial{status: tables.StatusDenied, by: machine(byText, tables.ByRule)}, true
}

// machine is who the text says refused, if it names a machine.
func machine(byText denial, otherwise string) string {
	if byText.status == tables.StatusDenied {
		return byText.by
	}
	return otherwise
}

// userRejectedUnworded: a host may word its refusal as it likes, so without a
// known text a human is only plausible where no SDK runs the session (§6.2).
func userRejectedUnworded(r *record) denial {
	if strings.HasPrefix(string(r.GetStringBytes("entrypoint")), "sdk") {
		return denial{status: tables.StatusDenied, by: tables.ByUnknown}
	}
	return denial{status: tables.StatusRejected, by: tables.ByUser}
}

func denialInText(text string) (denial, bool) {
	switch {
	case strings.HasPrefix(text, refusal):
		return userDenial(text), true
	case strings.HasPrefix(text, notNow):
		return denial{status: tables.StatusInterrupted, stop: true}, true
	case text == promptAborted:
		return denial{status: tables.StatusRejected, by: tables.ByUnknown, stop: true}, true
	case strings.HasPrefix(text, subagentDenied):
		_, reason, _ := strings.Cut(text, subagentReason)
		return denial{status: tables.StatusRejected, by: tables.ByUser, reason: userWords(reason)}, true
	case strings.HasPrefix(text, planRejected):
		return denial{status: tables.StatusRejected, by: tables.ByUser}, true
	}
	for _, m := range machineDenials {
		if m.text.MatchString(text) {
			return denial{status: tables.StatusDenied, by: m.by}, true
		}
	}
	return denial{}, false
}

// userDenial reads R1, R2, R2b, R3 and R5.
func userDenial(text string) denial {
	d := denial{status: tables.StatusRejected, by: tables.ByUser}
	if _, reason, ok := strings.Cut(text, reasonCLI); ok {
		d.reason = userWords(reason)
		d.clarify = strings.HasPrefix(reason, clarify)
	} else if _, reason, ok := strings.Cut(text, reasonVSCode); ok {
		d.reason = userWords(reason)
	} else {
		d.stop = strings.Contains(text, stopNow)
	}
	return d
}

// userWords are a reason without what Claude Code itself put there: the note
// about the next message (R2b), and the canned wish to clarify (R5).
func userWords(reason string) string {
	reason, _, _ = strings.Cut(reason, noteTail)
	reason = strings.TrimSpace(reason)
	if strings.HasPrefix(reason, clarify) {
		return ""
	}
	return reason
}
