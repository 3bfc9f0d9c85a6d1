package grok

import (
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"hindsql/tables"
)

// TestPairing: the events name no call. Each ask finds its own call, whatever calls
// stand around it, and lines that are lost cost their own call's decision alone.
func TestPairing(t *testing.T) {
	const refusal = "User rejected the execution for tool `write`"
	ok := func(m *made) *made { return m.result("completed", block("written"), "", "success") }
	no := func(m *made) *made { return m.result("failed", block(refusal), "", "") }
	invalid := func(m *made) *made {
		return m.result("failed", block("Failed to parse arguments for tool `write`: x"), "", "")
	}
	ask := func(m *made, answer string, waited time.Duration) *made { return m.call("write", "{}", answer, waited) }
	for name, test := range map[string]struct {
		make func(m *made)
		want string // of the calls, in order
		lose string // a line of the updates that holds this is lost
		same bool   // the model gives all its calls the same id
	}{
		"one": {make: func(m *made) { no(ask(m, denied, time.Second)) }, want: "refused/1000"},
		"a call that needs no permission first": {
			make: func(m *made) { ok(m.call("write", "{}", "", 0)); ok(ask(m, allowed, 2*time.Second)) }, want: "-,granted/2000",
		},
		"an invalid call first": {
			make: func(m *made) { invalid(m.call("write", "{}", "", 0)); no(ask(m, denied, time.Second)) }, want: "-,refused/1000",
		},
		"an invalid call after": {
			make: func(m *made) { ok(ask(m, allowed, 2*time.Second)); invalid(m.call("write", "{}", "", 0)) }, want: "granted/2000,-",
		},
		"another tool between": {
			make: func(m *made) {
				ok(ask(m, allowed, 2*time.Second))
				ok(m.call("read_file", "{}", allowed, 0))
				no(ask(m, denied, time.Second))
			}, want: "granted/2000,-,refused/1000",
		},
		"the first call is lost": {
			make: func(m *made) { no(ask(m, denied, time.Second)); ok(ask(m, allowed, 2*time.Second)) }, want: "granted/2000", lose: `"tool_call","toolCallId":"call-1"`,
		},
		"the second call is lost": {
			make: func(m *made) { ok(ask(m, allowed, 2*time.Second)); no(ask(m, denied, time.Second)) }, want: "granted/2000", lose: `"tool_call","toolCallId":"call-3"`,
		},
		"both granted, the second is lost": {
			make: func(m *made) { ok(ask(m, allowed, 2*time.Second)); ok(ask(m, allowed, 3*time.Second)) }, want: "granted/2000", lose: `"tool_call","toolCallId":"call-3"`,
		},
		"a result is lost": {
			make: func(m *made) { no(ask(m, denied, time.Second)); ok(ask(m, allowed, 2*time.Second)) }, want: "refused/1000,granted/2000", lose: refusal,
		},
		"one id for a call that ran and a refused one": {
			make: func(m *made) { ok(ask(m, allowed, 2*time.Second)); no(ask(m, denied, time.Second)) }, want: "granted/2000,refused/1000", same: true,
		},
		"one id for a refused call and one that ran": {
			make: func(m *made) { no(ask(m, denied, time.Second)); ok(ask(m, allowed, 2*time.Second)) }, want: "refused/1000,granted/2000", same: true,
		},
		"killed at the question": {
			make: func(m *made) {
				ok(ask(m, allowed, 2*time.Second))
				m.call("write", "{}", "", 0).event("permission_requested", `,"tool_name":"write"`)
			}, want: "granted/2000,-",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMade().prompt("go")
			test.make(m)
			log := m.String()
			if test.same {
				log = regexp.MustCompile(`call-\d+`).ReplaceAllString(log, "call-1")
			}
			updates, events, _ := strings.Cut(log, madeEvents)
			if lines := strings.SplitAfter(updates, "\n"); test.lose != "" {
				updates = ""
				for _, line := range lines {
					if !strings.Contains(line, test.lose) {
						updates += line
					}
				}
			}
			var got []string
			for _, c := range rowsOf(updates+madeEvents+events, nil)["tool_calls"] {
				if c["decided_by"] != tables.ByUser {
					got = append(got, "-")
					continue
				}
				got = append(got, fmt.Sprintf("%v/%v", c["decision"], c["waited_ms"]))
			}
			if s := strings.Join(got, ","); s != test.want {
				t.Errorf("got %s, want %s", s, test.want)
			}
		})
	}
}

// TestBlanked: a list of bytes is blanked wherever the reads fall, and every other byte
// stays.
func TestBlanked(t *testing.T) {
	log := `{"a":"\"rawOutput\":{\"type\":\"Bash\",\"output\":[1]"}` + "\n" +
		`{"rawOutput":{"type":"Bash","output":[104,105],"exit_code":0},"output":[7]}` + "\n" +
		`{"rawOutput":{"type":"Bash","output":[],"x":1}` + string(bytesStart[:20]) + string(bytesStart) + "10,1"
	want := strings.Replace(strings.Replace(log, "104,105", "       ", 1), "10,1", "    ", 1)
	sizes := []int{1, 2, 3, 7, 1000}
	for i := range 50 {
		sizes = append(sizes, 1+rand.New(rand.NewPCG(uint64(i), 1)).IntN(60))
	}
	for _, size := range sizes {
		got, err := io.ReadAll(iotest.OneByteReader(&blankedReader{ReadCloser: io.NopCloser(strings.NewReader(log))}))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Fatalf("byte by byte: %s", got)
		}
		b := &blankedReader{ReadCloser: io.NopCloser(strings.NewReader(log))}
		var all strings.Builder
		for buf := make([]byte, size); ; {
			n, err := b.Read(buf)
			all.Write(buf[:n])
			if err != nil {
				break
			}
		}
		if all.String() != want {
			t.Fatalf("%d bytes at a time: %s", size, all.String())
		}
	}
}
