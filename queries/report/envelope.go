package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hindsql/internal/lists"
	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// Envelope holds the fields of a mail's header besides the subject. It has no From:
// sendmail knows the sender's address.
type Envelope struct {
	To   []*mail.Address // empty: none
	Date time.Time       // zero: none
	Host string          // name of this machine, for the Message-ID
}

// Addresses parses mail addresses with commas between, with or without names: Ada
// <ada@example.org>. The error says what to write.
func Addresses(text string) ([]*mail.Address, error) {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return nil, fmt.Errorf("address %q: has a line break or another control character", text)
	}
	list, err := mail.ParseAddressList(text)
	if err != nil {
		return nil, fmt.Errorf("address %q: %s; write ada@example.org, with commas between several", text, strings.TrimPrefix(err.Error(), "mail: "))
	}
	for _, a := range list {
		switch {
		case strings.ContainsFunc(a.Address, func(r rune) bool { return r <= ' ' || r > '~' }):
			return nil, fmt.Errorf("address %s: has a letter that not every mail server takes; write a domain in its form xn--…", a.Address)
		case len(a.Address) > longestAddress:
			return nil, fmt.Errorf("address %s: is longer than %d letters", words.Cut(a.Address, 40), longestAddress)
		case strings.ContainsFunc(a.Name, unicode.IsControl) || !utf8.ValidString(a.Name) || words.Letters(a.Name, longestName) < len(a.Name):
			return nil, fmt.Errorf("address %s: has a name with control characters, or longer than %d letters", a.Address, longestName)
		}
	}
	return list, nil
}

// longestAddress is the limit of SMTP. Longer names and subjects than these would only
// make long headers.
const longestAddress, longestName, longestSubject = 254, 100, 200

// sum identifies a mail by its content, recipients and date.
func (e *Envelope) sum(parts ...[]byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%v %v", e.To, e.Date)
	for _, part := range parts {
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// header returns the header's fields, with the mail's sum in its id.
func (e *Envelope) header(subject, sum string) string {
	var all strings.Builder
	to := lists.Map(e.To, FormatAddress)
	if len(to) > 0 {
		all.WriteString(field("To", strings.Join(to, ", ")))
	}
	all.WriteString(field("Subject", encodedWords(words.Line(printable.Line(subject), longestSubject))))
	if !e.Date.IsZero() {
		all.WriteString(field("Date", e.Date.Format(time.RFC1123Z)))
	}
	all.WriteString(field("Message-ID", "<"+sum[:32]+"@"+domain(e.Host)+">"))
	return all.String()
}

// FormatAddress returns an address for a header. Other letters than ASCII in its name are
// encoded. [Addresses] reads it again.
func FormatAddress(a *mail.Address) string {
	if name := encodedWords(a.Name); name != a.Name {
		return name + " " + (&mail.Address{Address: a.Address}).String()
	}
	if again, err := Addresses(a.Address); err == nil && a.Name == "" && len(again) == 1 && again[0].Address == a.Address {
		return a.Address // without the brackets
	}
	return a.String()
}

// encodedWords returns a text for a header: as words of RFC 2047 if letters other than
// ASCII are in it. Package mime's words are too long to stand behind a field's name.
func encodedWords(text string) string {
	const longest = 39 // bytes, 52 in base64
	if !strings.Contains(text, "=?") && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return text
	}
	var all []string
	for text = strings.ToValidUTF8(text, "?"); text != ""; {
		n := words.Bytes(text, longest)
		all, text = append(all, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:n]))+"?="), text[n:]
	}
	return strings.Join(all, " ")
}

// domain returns a host's name as a domain.
func domain(host string) string {
	letter := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '-' || r == '.'
	}
	if host == "" || strings.Trim(host, ".") != host || strings.Contains(host, "..") || strings.ContainsFunc(host, func(r rune) bool { return !letter(r) }) {
		return "localhost"
	}
	return host
}

// field returns a header's field, in lines of some 76 letters. A line break in the value
// can't begin another field: only its words are written.
func field(name, value string) string {
	const longest = 76
	line := name + ":"
	var lines []string
	for i, word := range strings.Fields(printable.Line(value)) {
		if i > 0 && len(line)+1+len(word) > longest {
			lines, line = append(lines, line), ""
		}
		line += " " + word
	}
	return strings.Join(append(lines, line), "\n") + "\n"
}
