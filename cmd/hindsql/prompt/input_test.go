package prompt

import (
	"fmt"
	"strings"
	"testing"
)

// TestInput checks into which statements and commands lines are split, and the line in
// which each begins.
// TestBareNames: a name alone runs what has the name, but not in a file, and not within
// a statement.
func TestBareNames(t *testing.T) {
	named := func(word string) bool { return word == "rejections" || word == "after-refusal" }
	for line, want := range map[string]string{
		"rejections": "rejections", "rejections;": "rejections;", "after-refusal since=7d top=3": "after-refusal since=7d top=3",
		"rejection": "", "rejections r": "", "SELECT": "", "rejections since": "",
	} {
		in := input{find: commands().find, named: named}
		got := ""
		for _, s := range in.addLine(line) {
			got += s.command
		}
		if got != want || (want == "") != (in.buffer != "") {
			t.Errorf("%q: command %q, want %q; left %q", line, got, want, in.buffer)
		}
		in = input{find: commands().find, named: named, buffer: "FROM\n"}
		if in.addLine(line); !strings.HasPrefix(in.buffer, "FROM\n") && !strings.HasSuffix(line, ";") {
			t.Errorf("%q ends a statement: %q", line, in.buffer)
		}
	}
	var cache lines
	if after := cache.after(input{find: commands().find, named: named}, ""); after.named == nil {
		t.Error("the first line of a prompt has no names")
	}
}

func TestInput(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1;":                            "1 SELECT 1",
		"SELECT 1":                             "1 SELECT 1",
		"\n\nSELECT\n 1; SELECT 2;":            "3 SELECT\n 1|4 SELECT 2",
		".mode csv\nSELECT 1 \\gx\n":           "1 .mode csv|2 \\gx of SELECT 1",
		"SELECT 1\n.x\n;":                      "1 SELECT 1\n.x",
		"SELECT 1\n\\x\n+ 1;":                  "2 \\x of SELECT 1|1 SELECT 1\n\n+ 1",
		"SELECT 1 \\x \\g":                     "1 \\x of SELECT 1|1 \\g of SELECT 1",
		"SELECT 1 \\g |sed s/\\x/y/ \\x":       "1 \\g |sed s/\\x/y/ \\x of SELECT 1",
		"\\! echo \\g":                         "1 \\! echo \\g",
		"\\!ls":                                "1 \\!ls",
		"SELECT '\\x\n\\q\n.quit';":            "1 SELECT '\\x\n\\q\n.quit'",
		"SELECT \"a\\x\", $$ \\g $$ -- \\q\n;": "1 SELECT \"a\\x\", $$ \\g $$ -- \\q",
		"/*\n\\q\n*/ SELECT 1;":                "1 /*\n\\q\n*/ SELECT 1",
		"SELECT 1 \\e\nSELECT 2;":              "1 \\e of SELECT 1|2 SELECT 2",
		"\\echo 'a \\x b' \\q":                 "1 \\echo 'a \\x b'|1 \\q",
		"-- only a comment\n":                  "",
		"SELECT 'a',\n \"b\", -- it's;\n $1 /* c */\n, 'x\n;',\n2;3": "1 SELECT 'a',\n \"b\", -- it's;\n $1 /* c */\n, 'x\n;',\n2|6 3",
		"SELECT 1\n/*\n2\n;*/\n;":                                    "1 SELECT 1\n/*\n2\n;*/",
		"exit":                                                       "1 exit",
	} {
		in := input{numbered: true, find: commands().find}
		var steps []step
		for line := range strings.Lines(text) {
			steps = append(steps, in.addLine(strings.TrimRight(line, "\n"))...)
		}
		var got []string
		for _, s := range append(steps, in.end()...) {
			words := fmt.Sprint(s.line, " ", s.command)
			if s.sql != "" {
				words = fmt.Sprint(s.line, " ", strings.TrimSpace(s.sql))
			} else if s.buffer != "" {
				words += " of " + strings.TrimSpace(s.buffer)
			}
			got = append(got, words)
		}
		if got := strings.Join(got, "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
