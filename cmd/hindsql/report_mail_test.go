package main

import (
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// mailParts is a command of scripts. It parses the mail in a file as a mail program
// does, and writes the header to FILE.header, the text to FILE.text, and the HTML to
// FILE.html.
func mailParts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mailparts FILE")
	}
	path := ts.MkAbs(args[0])
	parts, err := readMail(ts.ReadFile(args[0]))
	ts.Check(err)
	for ending, text := range parts {
		ts.Check(os.WriteFile(path+"."+ending, []byte(text), 0o600))
	}
}

// readMail returns the parts of a mail: header, text and html.
func readMail(text string) (map[string]string, error) {
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	parts := map[string]string{}
	var fields []string
	for name := range m.Header {
		value, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get(name))
		if err != nil {
			return nil, err
		}
		fields = append(fields, name+": "+value+"\n")
	}
	slices.Sort(fields)
	parts["header"] = strings.Join(fields, "")
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := r.NextPart()
		if err == io.EOF {
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		kind, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		if err != nil {
			return nil, err
		}
		parts[strings.TrimPrefix(strings.Replace(kind, "plain", "text", 1), "text/")] = string(body)
	}
}
