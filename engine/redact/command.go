package redact

import "strings"

// command is a way to give a program a password. The pattern is searched from the
// keyword on, and its first matching group is the password.
type command struct {
	pattern func() *pattern
	any     bool // any word in this position is a password; false requires a word like a password
}

const argument = `(?:\\*["'])?([^\s"'\x60\\]{4,200})`

// commands maps keywords to commands. Each command begins with its keyword.
var commands = map[string]command{
	"sshpass":                {lazy(`^\s+(?:-\w\s+)*-p\s*` + argument), true},
	"mysql":                  {lazy(`^[a-z_]*[^\n;|]{0,200}?\s\\*["']?-p` + argument), true},
	"mariadb":                {lazy(`^[a-z_-]*[^\n;|]{0,200}?\s\\*["']?-p` + argument), true},
	"curl":                   {lazy(`^[^\n|]{0,500}?\s(?:-u|-U|--user|--proxy-user)[ =]?(?:\\*["'])?[^\s:"'\\]+:([^\s"'\x60\\]{4,})`), false},
	"wget":                   {lazy(`^[^\n|]{0,500}?\s--(?:http-|ftp-|proxy-)?password[ =]` + argument), false},
	"http":                   {lazy(`^s?[^\n|:]{0,200}?\s(?:-a|--auth)[ =](?:\\*["'])?[^\s:"'\\]+:([^\s"'\x60\\]{4,})`), false},
	"redis-cli":              {lazy(`^[^\n|;]{0,200}?\s-a\s+` + argument), true},
	"mongo":                  {lazy(`^(?:sh|dump|restore|export|import)?[^\n|;]{0,200}?\s-p\s+` + argument), true},
	"ldap":                   {lazy(`^[a-z]+[^\n|;]{0,300}?\s-w\s+` + argument), true},
	"smbclient":              {lazy(`^[^\n|;]{0,200}?\s-U\s+(?:\\*["'])?[^\s%"']+%([^\s"'\x60\\]{4,})`), true},
	"pass:":                  {lazy(`^` + argument), false},
	"identified":             {lazy(`(?i)^\s+(?:with\s+\w+\s+)?by\s+(?:password\s+)?\\*["']([^"'\\\n]{4,})\\*["']`), false},
	"with password":          {lazy(`(?i)^\s+\\*["']([^"'\\\n]{4,})\\*["']`), false},
	"login":                  {lazy(`(?i)^[^\n|;]{0,200}?\s(?:-p|-P)\s+` + argument), false},
	"docker":                 {lazy(`(?i)^\s+login[^\n|;]{0,200}?\s-p\s+` + argument), false},
	"chpasswd":               {lazy(`(?i)^\s*<<<\s*(?:\\*["'])?[\w.-]+:([^\s"'\x60\\]{4,})`), false},
	"ssh-keygen":             {lazy(`^[^\n|;]{0,200}?\s-N\s+` + argument), false},
	"zip":                    {lazy(`^[^\n|;]{0,100}?\s-P\s+` + argument), false},
	"openssl":                {lazy(`^\s[^\n|;]{0,200}?\s-k\s+` + argument), false},
	"plink":                  {lazy(`^[^\n|;]{0,200}?\s-pw\s+` + argument), true},
	"pscp":                   {lazy(`^[^\n|;]{0,200}?\s-pw\s+` + argument), true},
	"gh secret set":          {lazy(`^\s[^\n|;]{0,100}?(?:-b|--body)[ =]` + argument), false},
	"net use":                {lazy(`(?i)^\s[^\n]{0,200}?/user:\S+\s+` + argument), false},
	"--from-literal":         {lazy(`^[ =](?:\\*["'])?[\w.-]+=` + argument), false},
	"convertto-securestring": {lazy(`(?i)^\s+(?:-string\s+)?\\*["']([^"'\\\n$]{4,})\\*["']`), false},
}

func findInCommand(text string, start, end int) []span {
	c := commands[strings.ToLower(text[start:end])]
	at := c.pattern().FindStringSubmatchIndex(text[end:min(len(text), end+600)])
	if at == nil {
		return nil
	}
	return passwordAt(end+at[2], argumentOf(text, end+at[2], end+at[3]), c.any)
}

// passwordAt returns the place of an argument if it is a password: if any, every word.
func passwordAt(start int, s string, any bool) []span {
	if isDrawn(s, bare) || !isPlaceholder(s) && !isExample(s) && (any && shapeOf(s).letters > 0 && !isPlace(s) && len(s) >= 4 || isPassword(s, true)) {
		return []span{{start, start + len(s)}}
	}
	return nil
}

// argumentOf returns the argument at a place. A bare argument ends at signs of the
// shell.
func argumentOf(text string, start, end int) string {
	s := text[start:end]
	if text[start-1] == '\'' || text[start-1] == '"' {
		return s
	}
	s = s[:run(s, func(c byte) bool { return strings.IndexByte(";|&<>", c) < 0 }, len(s))]
	return strings.TrimRight(s, ".,)]}")
}

// Patterns for the text after "login" in a .netrc file, and after "machine" or
// "default" if the password comes first. The words may be on several lines, with
// escaped line ends.
var (
	netrcGap   = `(?:\s|\\+[nrt])+`
	netrcLogin = lazy(`^` + netrcGap + `(\S+?)` + netrcGap + `(?:account` + netrcGap + `\S+?` + netrcGap + `)?password` + netrcGap + argument)
	netrcFirst = lazy(`^` + netrcGap + `(?:([^\s"'\\]+)` + netrcGap + `)?password` + netrcGap + argument + `["']?` + netrcGap + `login\s`)
	sentence   = lazy(`(?i)^(?:with|and|or|using|by|via|the|an?|your|is|was|to|for|from|in|as|no|without|page|form)$`)
)

func findNetrc(text string, start, end int) []span {
	pattern := netrcFirst
	if lower(text[start]) == 'l' {
		pattern = netrcLogin
	}
	rest := text[end:min(len(text), end+600)]
	at := pattern().FindStringSubmatchIndex(rest)
	if at == nil || at[2] >= 0 && sentence().MatchString(rest[at[2]:at[3]]) {
		return nil
	}
	return passwordAt(end+at[4], strings.TrimRight(rest[at[4]:at[5]], ".,)]}"), true)
}

// piped matches a password written to a program that reads passwords.
var piped = lazy(`(?:echo|printf)\s+(?:-n\s+|\\*["']?%s(?:\\n)?\\*["']?\s+)?` + argument + `(?:\\*["'])?\s*\|\s*[^|\n]{0,80}$`)

func findPiped(text string, start, _ int) []span {
	from := max(0, start-300)
	at := piped().FindStringSubmatchIndex(text[from:start])
	if at == nil {
		return nil
	}
	return passwordAt(from+at[2], argumentOf(text, from+at[2], from+at[3]), false)
}
