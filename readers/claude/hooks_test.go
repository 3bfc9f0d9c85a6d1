package claude

import (
	"fmt"
	"testing"
)

// TestHooksOwnWords tests refusals in a hook's own words, which may be any.
func TestHooksOwnWords(t *testing.T) {
	type c = conversation
	hook := `{"type":"progress","uuid":"p1","parentUuid":"u2","data":{"type":"hook_progress","hookEvent":"%s"},"parentToolUseID":"t1","toolUseID":"t1"}` + "\n"
	attached := func(fields string) string {
		return `{"type":"attachment","uuid":"a1","parentUuid":"u3","version":"2.1.97","timestamp":"2026-03-02T09:00:04.000Z","attachment":{"toolUseID":"t1",` + fields + `}}` + "\n"
	}
	check(t, "no hook seen", c{text: "Use pnpm."}, "error")
	check(t, "framed, hook seen", c{text: "Use pnpm.", before: fmt.Sprintf(hook, "PreToolUse")}, "denied by hook inferred 0.8 (Use pnpm.)")
	check(t, "framed, later hook seen", c{text: "Use pnpm.", before: fmt.Sprintf(hook, "PostToolUse")}, "error")
	for _, text := range []string{"Exit code 1\nUse pnpm.", "<tool_use_error>x</tool_use_error>", "", "[Tool result missing due to internal error]", "EACCES: permission denied, open '/x'", "Command timed out after 2m"} {
		check(t, "framed: "+text, c{text: text, before: fmt.Sprintf(hook, "PreToolUse")}, "error")
	}
	check(t, "before frames", c{version: "2.0.59", text: "Use pnpm.", before: fmt.Sprintf(hook, "PreToolUse")}, "error")
	check(t, "stamping", c{version: "2.1.204", text: "Use pnpm.", before: fmt.Sprintf(hook, "PreToolUse")}, "error")
	check(t, "a tool without frame", c{tool: "Read", text: "Use pnpm.", before: fmt.Sprintf(hook, "PreToolUse")}, "error")
	const stamp = `"toolDenialKind":"permission-rule"`
	check(t, "stamped, no hook seen", c{version: "2.1.220", text: "Use pnpm.", stamps: stamp}, "denied by unknown recorded 1 permission-rule")
	ran := attached(`"type":"hook_success","hookName":"PreToolUse:Bash"`)
	check(t, "stamped, hook seen", c{version: "2.1.220", text: "Use pnpm.", stamps: stamp, before: ran}, "denied by hook recorded 1 (Use pnpm.) permission-rule")
	checkDecision(t, "stamped, hook seen", c{version: "2.1.220", text: "Use pnpm.", stamps: stamp, before: ran}, "refused hook 0.8")
	checkDecision(t, "stamped, no hook seen", c{version: "2.1.220", text: "Use pnpm.", stamps: stamp}, "refused unknown 0.3")
	check(t, "blocked by a hook before it", c{version: "2.1.220", text: "x", after: attached(`"type":"hook_blocking_error","hookName":"PreToolUse:Bash"`)}, "denied by hook recorded 1 (x)")
	check(t, "told by the hook", c{version: "2.1.220", text: "Use pnpm.", after: attached(`"type":"hook_permission_decision","decision":"deny"`)}, "denied by hook recorded 1 (Use pnpm.)")
	check(t, "allowed by the hook", c{version: "2.1.220", text: "Use pnpm.", after: attached(`"type":"hook_permission_decision","decision":"allow"`)}, "error")
	check(t, "stopped by a hook before it", c{version: "2.1.220", text: "Use pnpm.", after: attached(`"type":"hook_stopped_continuation","hookName":"PreToolUse:Bash","message":"m"`)}, "denied by hook recorded 1 (Use pnpm.)")
	check(t, "stopped by a hook after it", c{version: "2.1.220", text: "Use pnpm.", after: attached(`"type":"hook_stopped_continuation","hookName":"PostToolUse:Bash","message":"m"`)}, "error")
	check(t, "blocking error of a hook after it", c{version: "2.1.220", text: "x", after: attached(`"type":"hook_blocking_error","hookName":"PostToolUse:Bash"`)}, "error")
}
