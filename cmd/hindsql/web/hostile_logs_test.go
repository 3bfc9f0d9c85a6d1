package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hindsql/readers/sample"
)

// mark is part of every name that hostile texts try to run, load or create. No element,
// attribute or address of a page may have mark.
const mark = "zq7"

// hostile lists texts that try to act as more than text.
var hostile = []string{
	`<script>zq7("script")</script><script src="//zq7.example/x.js"></script>`,
	`"><svg onload=zq7("svg")><img src=x onerror="zq7('img')">`,
	`' onmouseover='zq7()' autofocus onfocus=zq7() x='`,
	`</script></textarea></title></option></select></style></pre></code></td></table><zq7-element style="color:red" id="zq7">`,
	`--></style><style>@import "http://zq7.example/x.css"; body{background:url(//zq7.example/x.png)}</style>`,
	"[a](javascript:zq7('markdown')) [b](data:text/html;base64,PHNjcmlwdD56cTcoKTwvc2NyaXB0Pg==) [c](JaVaScRiPt:zq7()) ![d](http://zq7.example/d.png) ![e](javascript:zq7()) [f](//zq7.example) [g][r] <javascript:zq7()>\n\n[r]: vbscript:zq7() \"t\"\n",
	"```\"><script>zq7()</script>\n<script>zq7('fence')</script>\n```\n\n<details open ontoggle=zq7()><summary>x</summary></details>\n\n<iframe src=javascript:zq7()></iframe><form action=//zq7.example><input name=zq7></form><meta http-equiv=refresh content=0;url=//zq7.example><base href=//zq7.example>\n",
	"{{zq7}} ${zq7} <%= zq7 %> {{.}} {{template \"zq7\"}} &#60;zq7&#62; &lt;zq7&gt; %3Cscript%3Ezq7()%3C/script%3E",
	"\u202egpj.exe\u2066 \u2069\u200f\u200e\u061c \x1b[31mred\x1b[0m \x1b]8;;http://zq7.example\x07link\x1b]8;;\x07 \x00 \x07 \x08 \x7f \u0085 \u009b31m \u2028 \u2029 \ufeff \u200b",
	"<a href=\"javascript:zq7()\">x</a><a href=\"data:text/html,zq7\">y</a><math><mtext><zq7-element><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=zq7()&gt;\">",
}

// shortened lists the fields whose texts stay unchanged. Without them a reader would not
// recognize a record, or ids would not connect records.
var shortened = map[string]bool{
	"type": true, "role": true, "subtype": true, "timestamp": true, "version": true, "stop_reason": true, "stopReason": true, "kind": true, "status": true,
	"uuid": true, "parentUuid": true, "id": true, "tool_use_id": true, "sessionId": true, "requestId": true, "sourceToolAssistantUUID": true, "call_id": true,
	"parentId": true, "toolCallId": true, "leafUuid": true, "logicalParentUuid": true, "session_id": true, "userType": true, "entrypoint": true, "event": true,
	"startTime": true, "lastUpdated": true, "createdAt": true, "updatedAt": true, "time": true, "date": true, "decision": true, "outcome": true, "origin": true,
	"messageId": true, "requestIdx": true, "responseId": true, "turnId": true, "interactionId": true, "api": true, "agentId": true, "$mid": true, "scheme": true,
	"toolId": true, "isConfirmed": true, "parentToolCallId": true, "originator": true, "source": true, "toolUseResult": true, "cwd": true, "folder": true, "name": true, "toolName": true, "tool": true,
}

// spoil appends hostile texts to the texts of a JSON value. The beginning stays
// unchanged, because readers recognize records by a text's beginning.
func spoil(v any, n *int) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sortedNames(v) {
			_, text := v[name].(string)
			switch {
			case text && shortened[name]:
			case text && (name == "arguments" || name == "input"): // JSON within JSON
				v[name] = spoilInner(v[name].(string), n)
			default:
				v[name] = spoil(v[name], n)
			}
		}
	case []any:
		for i := range v {
			v[i] = spoil(v[i], n)
		}
	case string:
		*n++
		return v + hostile[*n%len(hostile)]
	}
	return v
}

func spoilInner(text string, n *int) string {
	var inner map[string]any
	if json.Unmarshal([]byte(text), &inner) != nil {
		*n++
		return text + hostile[*n%len(hostile)]
	}
	b, err := json.Marshal(spoil(inner, n))
	if err != nil {
		panic(err)
	}
	return string(b)
}

func sortedNames(v map[string]any) (names []string) {
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// hostileHome returns the sample with each text spoilt, additional hostile sessions,
// and lines of 2 MB.
func hostileHome(t testing.TB) string {
	t.Helper()
	home, err := sample.Write(t.TempDir())
	must(t, err)
	n := 0
	must(t, filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".json", ".jsonl"}, filepath.Ext(path)) || filepath.Base(path) == "workspace.json" || filepath.Base(path) == "projects.json" {
			return err
		}
		text, err := os.ReadFile(path)
		must(t, err)
		var spoilt bytes.Buffer
		d2 := json.NewDecoder(bytes.NewReader(text))
		d2.UseNumber()
		for d2.More() {
			var v any
			if err := d2.Decode(&v); err != nil {
				return os.WriteFile(path, text, 0o600) // a broken line: the log stays unchanged
			}
			line, err := json.Marshal(spoil(v, &n))
			must(t, err)
			spoilt.Write(append(line, '\n'))
		}
		return os.WriteFile(path, spoilt.Bytes(), 0o600)
	}))
	if n < 500 {
		t.Fatalf("only %d texts of the sample were spoilt", n)
	}
	hostileSessions(t, home)
	return home
}

// hostileSessions writes sessions with hostile names in places that spoil keeps: ids,
// tools, files' paths, folders, branches, versions, models.
func hostileSessions(t testing.TB, home string) {
	for i, text := range hostile {
		id := "session-" + strings.NewReplacer("/", "|", "\x00", "", "\n", " ").Replace(text)
		if len(id) > 150 {
			id = strings.ToValidUTF8(id[:150], "")
		}
		s := newScript(id, "/home/dev/"+text, time.Now().Add(-time.Duration(i*5+1)*time.Hour))
		s.branch = "branch " + text
		s.title(text)
		s.prompt(text)
		s.think(text)
		s.answer(text)
		s.answer("# " + text + "\n\n| " + text + " | b |\n|---|---|\n| " + text + " | " + text + " |\n\n> " + text + "\n\n1. " + text + "\n")
		call := func(kind string) string { return fmt.Sprintf("toolu_%s_%d_%s", kind, i, text) }
		s.call(call("bash"), "Bash", object{"command": "ls " + text, "description": text}, text)
		s.call(call("edit"), "Edit", object{"file_path": "/home/dev/" + text + ".go", "old_string": text + "\n" + text, "new_string": "other " + text}, text)
		s.call(call("write"), "Write", object{"file_path": text, "content": strings.Repeat(text+"\n", 30)}, text)
		s.call(call("own"), "mcp__"+text+"__"+text, object{text: text, "list": []string{text}}, text)
		s.call(call("tool"), text, object{text: object{text: text}}, text)
		s.refuse(call("rbash"), "Bash", object{"command": text}, text)
		s.prompt("go on: " + text)
		s.refuse(call("redit"), "Edit", object{"file_path": text + ".html", "old_string": text, "new_string": text + "\n" + text}, text)
		s.refuse(call("rtool"), text, object{"x": text}, "")
		s.prompt(text)
		s.stop()
		s.prompt(text)
		s.compact(text)
		s.clear()
		s.prompt(text)
		s.write(t, home, "hostile")
	}
	largeSession(t, home, 2<<20)
}

// largeSession writes the session large, with texts of about size bytes.
func largeSession(t testing.TB, home string, size int) {
	t.Helper()
	s := newScript("large", "/home/dev/large", time.Now().Add(-2*time.Hour))
	large := strings.Repeat(hostile[0]+hostile[1], size/(len(hostile[0])+len(hostile[1])))
	s.title(large[:size/10])
	s.prompt(large)
	s.answer(large)
	s.think(large)
	s.answer(strings.Repeat("a", size))
	s.answer(strings.Repeat("[", 200_000) + strings.Repeat(">", 200_000))
	s.call("toolu_large", "Bash", object{"command": large}, large)
	s.call("toolu_largewrite", "Write", object{"file_path": "/home/dev/large.html", "content": large}, "ok")
	s.call("toolu_largeedit", "Edit", object{"file_path": "/home/dev/large.js", "old_string": strings.Repeat("a b ", size/10), "new_string": strings.Repeat("a c ", size/10)}, "ok")
	s.refuse("toolu_largerefusal", "Bash", object{"command": large}, large)
	s.refuse("toolu_largelines", "Write", object{"file_path": "/home/dev/large.py", "content": strings.Repeat("x = '"+mark+"'\n", size/20)}, "too long")
	s.prompt(large)
	s.compact(large)
	s.prompt("end")
	s.write(t, home, "large")
}
