package copilot

import "testing"

func TestWorkspace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, name string }{
		{"id: x\nname: say hi\nuser_named: false\n", "say hi"},
		{"name: \"a: \\\"b\\\" \\u00e9\"\n", `a: "b" é`},
		{"name: \"cut\n", "cut"},
		{"name: 'it''s'\n", "it's"},
		{"name: '\n", "'"},
		{"name: >-\n  one\n  two\nbranch: main\n", "one two"},
		{"name: |\n  one\n  two\n", "one\ntwo"},
		{"name: |-", ""},
		{"name: null\n", ""},
		{"name:\n", ""},
		{"# name: no\n  name: nested\n- name: listed\n", ""},
		{"name: with: colon\r\nbranch: main\r\n", "with: colon"},
		{"", ""},
	} {
		if got := parseWorkspace(test.text).name; got != test.name {
			t.Errorf("%q: %q, want %q", test.text, got, test.name)
		}
	}
	w := parseWorkspace("cwd: /home/ada/shop\nbranch: main\nclient_name: github/cli\nname: x\nuser_named: true\n")
	if want := (workspace{"x", "/home/ada/shop", "main", "github/cli", true}); w != want {
		t.Errorf("%+v, want %+v", w, want)
	}
}
