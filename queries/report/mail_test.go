package report_test

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"strings"
	"testing"
	"time"

	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/queries/report"
)

// mailOf returns a document's mail, with tables drawn as plain rows.
func mailOf(t *testing.T, d *report.Document) string {
	t.Helper()
	var b strings.Builder
	draw := func(w io.Writer, _ report.Drawing, rows *result.Rows, _ *chart.Declaration) error {
		for rows.Next() {
			fmt.Fprintln(w, rows.Values()...)
		}
		return rows.Err()
	}
	if err := d.Mail(&b, report.Screen{Draw: draw, Bold: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// read parses a mail as a mail program does, and returns the header, the text and the
// HTML. Every line fits SMTP and this system.
func read(t *testing.T, text string) (header mail.Header, plain, page string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if len(line) > 78 && !strings.HasPrefix(line, "Content-Type: ") || strings.ContainsFunc(line, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) {
			t.Errorf("line of %d bytes: %.80q", len(line), line)
		}
	}
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatal(kind, err)
	}
	parts := map[string]string{}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := r.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		parts[part.Header.Get("Content-Type")] = string(text)
	}
	if len(parts) != 2 {
		t.Errorf("%d parts", len(parts))
	}
	return m.Header, parts["text/plain; charset=utf-8"], parts["text/html; charset=utf-8"]
}

// TestMail reads a hostile document's mail: its headers can't be added to, and its HTML
// has no script, style sheet, drawing or foreign content.
func TestMail(t *testing.T) {
	d := hostile()
	d.Title = "Überblick\r\nBcc: evil@example.org\r\n\r\n" + strings.Repeat("weit und ", 100)
	d.Envelope = report.Envelope{
		To:   []*mail.Address{{Name: "Jörg\r\nBcc: evil@example.org", Address: "me@example.org"}, {Address: "x@example.org\nBcc: evil@example.org"}},
		Date: time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC), Host: "host\nBcc: evil@example.org",
	}
	header, plain, page := read(t, mailOf(t, d))
	subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
	if err != nil || header["Bcc"] != nil || len(header) != 7 || !strings.HasPrefix(subject, "Überblick") || !strings.HasSuffix(subject, "…") {
		t.Errorf("%v, %q, %v", header, subject, err)
	}
	if at, err := header.Date(); err != nil || !at.Equal(d.Envelope.Date) || !strings.HasSuffix(header.Get("Message-ID"), "@localhost>") {
		t.Errorf("%v, %v, %v", at, header, err)
	}
	for _, bad := range []string{"<script", "<svg", "<style", "<link", "<img", "http", "ZgotmplZ", "class=", "\x1b"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q is in the mail", bad)
		}
	}
	for _, want := range []string{`bgcolor="#4a7ab5"`, "12,345", `width="100%"`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the mail:\n%s", want, page)
		}
	}
	if !strings.Contains(plain, "alert(1)") || strings.Contains(plain, "\x1b") {
		t.Errorf("text %q", plain)
	}
}

// TestMailCuts: long texts, diffs and tables are cut in a mail, with a mark, and the
// mail says how to get the rest. A dot alone on a line doesn't end the mail.
func TestMailCuts(t *testing.T) {
	long := strings.Repeat("wörtlich ", 2000)
	many := result.Set{Columns: result.Columns("n BIGINT")}
	for n := range 250 {
		many.Rows = append(many.Rows, []any{int64(n)})
	}
	set := func(name string) result.Set {
		return result.Set{Columns: result.Columns(name + " VARCHAR"), Rows: [][]any{{long}}}
	}
	alert := set("alert")
	d := &report.Document{
		Name: "mine", Title: "Mine", Text: "a\n\n.\n\nb", Alert: &alert,
		Period: report.Period{Since: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC), Until: time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)},
		Parts: []report.Part{
			{Title: "Text", Show: report.Table, Set: set("text")}, {Title: "Diff", Show: report.Table, Set: set("my_diff")},
			{Title: "Card", Show: report.Diff, Cards: map[string]string{"diff": "d"}, Set: set("d")},
			{Title: "Command", Show: report.Diff, Cards: map[string]string{"command": "c"}, Set: set("c")},
			{Title: "Many", Show: report.Table, Set: many},
		},
	}
	text := mailOf(t, d)
	if bytes.Contains([]byte(text), []byte("\n.\n")) {
		t.Error("a line is only a dot")
	}
	_, plain, page := read(t, text)
	for kind, body := range map[string]string{"text": plain, "HTML": page} {
		if strings.Contains(body, strings.Repeat("wörtlich ", 300)) {
			t.Errorf("%s: a text is whole", kind)
		}
		for _, want := range []string{"wörtlich wörtlich", "Texts with … are cut", "…[2,000 of 18,000 characters]", "The first 100 of 250 rows.", "hindsql report run mine since=2026-11-20T08:00:00Z until=2026-11-27T08:00:00Z --format json"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %q", kind, want)
			}
		}
	}
	if len(d.Parts[4].Rows) != 250 || d.Parts[1].Rows[0][0] != long {
		t.Error("the document itself is cut")
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"ada@example.org":                                "ada@example.org",
		"Ada <ada@example.org>, bob@example.org":         `"Ada" <ada@example.org>, bob@example.org`,
		"Jörg Müller <j@example.org>":                    "=?utf-8?b?SsO2cmcgTcO8bGxlcg==?= <j@example.org>",
		"=?utf-8?q?J=C3=B6rg?= <j@example.org>":          "=?utf-8?b?SsO2cmc=?= <j@example.org>",
		"":                                               "write ada@example.org",
		"ada":                                            "write ada@example.org",
		"ada@example.org\nBcc: eve@example.org":          "control character",
		"ada@example.org\r\nBcc: eve@example.org":        "control character",
		"=?utf-8?q?A=0D=0ABcc?= <a@b.org>":               "control characters",
		"jörg@example.org":                               "xn--",
		"j@münchen.example":                              "xn--",
		`"a..b"@example.org`:                             `<"a..b"@example.org>`,
		`"a b"@example.org`:                              "not every mail server",
		strings.Repeat("a", 255) + "@example.org":        "longer than 254",
		strings.Repeat("Ada ", 30) + "<ada@example.org>": "longer than 100",
		"--Ada; rm -rf / <ada@example.org>, -t <x@example.org>": "write ada@example.org",
	} {
		list, err := report.Addresses(text)
		got := ""
		for i, a := range list {
			got += strings.Repeat(", ", min(i, 1)) + report.FormatAddress(a)
		}
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != want || err != nil && !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
