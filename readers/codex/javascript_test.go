package codex

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandsIn(t *testing.T) {
	literal := func(command string) scriptCommand {
		return scriptCommand{tool: "exec_command", command: command, literal: true}
	}
	unknown := scriptCommand{tool: "exec_command"}
	asks := scriptCommand{tool: "exec_command", command: "x", literal: true, asks: true}
	for _, test := range []struct {
		name, js string
		want     []scriptCommand
	}{
		{"one", `text(await tools.exec_command({cmd:"echo hi"}));`, []scriptCommand{literal("echo hi")}},
		{"two, other quotes", "await exec_command({ 'cmd' : 'a' }); await tools.exec_command({yield_time_ms:1, cmd:`b`})", []scriptCommand{literal("a"), literal("b")}},
		{"escapes", `tools.exec_command({cmd:"a\n\"b\"\u0041\x42\u{43}\ud83d\ude00\q"})`, []scriptCommand{literal("a\n\"b\"ABC😀q")}},
		{"asks", `tools.exec_command({cmd:"x",sandbox_permissions:"require_escalated"})`, []scriptCommand{asks}},
		{"asks elsewhere", `tools.exec_command({cmd:"x"}); // require_escalated`, []scriptCommand{literal("x")}},
		{"another tool", `tools.shell_command({command:"x"})`, []scriptCommand{{tool: "shell_command", command: "x", literal: true}}},
		{"a name", `tools.exec_command({cmd:c})`, []scriptCommand{unknown}},
		{"put together", `tools.exec_command({cmd:"a "+b})`, []scriptCommand{unknown}},
		{"with a hole", "tools.exec_command({cmd:`a ${b}`})", []scriptCommand{unknown}},
		{"in a string", `text("tools.exec_command({cmd:'x'})")`, nil},
		{"in a comment", "// exec_command({cmd:'x'})\n/* exec_command({cmd:'y'}) */", nil},
		{"no call", `const exec_command = tools.exec_command; my_exec_command({cmd:"x"})`, nil},
		{"a key of another name", `tools.exec_command({mycmd:"x"})`, []scriptCommand{unknown}},
		{"brackets in strings", `tools.exec_command({justification:")}", cmd:"x"}); tools.exec_command({cmd:"y"})`, []scriptCommand{literal("x"), literal("y")}},
		{"cut", `tools.exec_command({cmd:"x`, []scriptCommand{unknown}},
		{"cut in an escape", `tools.exec_command({cmd:"x\`, []scriptCommand{unknown}},
		{"cut at the key", `tools.exec_command({cmd:`, []scriptCommand{unknown}},
		{"nothing", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []scriptCommand
			for _, c := range findCommands(test.js) {
				got = append(got, *c)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(scriptCommand{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRepeats(t *testing.T) {
	for js, want := range map[string]bool{
		`await tools.exec_command({cmd:"for (i in x)"})`:       false,
		`for (const c of l) await tools.exec_command({cmd:c})`: true,
		`l.map(run)`: true, `const f = (c) => tools.exec_command(c)`: true,
		`// while (true)`: false, `while (n--) {}`: true, `function f() {}`: true, `format(x)`: false,
	} {
		if got := loops.MatchString(codeOnly(js)); got != want {
			t.Errorf("%s: %v, want %v", js, got, want)
		}
	}
}

func FuzzCommandsIn(f *testing.F) {
	f.Add(`tools.exec_command({cmd:"a\u{41}"}); // x`)
	f.Fuzz(func(_ *testing.T, js string) {
		findCommands(js)
		codeOnly(js)
	})
}
