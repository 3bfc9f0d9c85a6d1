package redact

import (
	"strings"
)

// contexts returns the rules for secrets revealed only by the surrounding text.
func contexts() []OwnRule {
	return []OwnRule{
		{Name: "assigned-secret", Pattern: "a name that ends in password, secret, token, api key and the like, a sign such as = or :, and a value that is no placeholder and no code; of tokens, one that looks drawn by chance", Keywords: []string{"passw", "passphrase", "_pass", "-pass", "pass=", "pass:", `pass"`, "passwort", "pwd", "requirepass", "masterauth", "storepass", "keypass", "psk=", "psk:", "psk =", "pw=", "pw:", "pw =", `pw"`, `pw\"`, "_pw", "tok=", "tok:", "tok =", `tok"`, `tok\"`, "_tok", "secret", "token", "key", "credential", "creds", "auth", "_pat", "-pat", "dsn", "jwt", "bearer", "connectionstring", "connection_string"}, Source: "https://12factor.net/config", Finds: "DB_PASSWORD=«Xk9!{8}»", Leaves: "token: string", locate: findAssigned},
		{Name: "url-password", Pattern: "scheme://user:password@host, and scheme://token@host", Keywords: []string{"://"}, Source: "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1", Finds: "postgres://ada:«{14}»@db/shop", Leaves: "postgres://user:password@localhost/db", locate: findInURL},
		{Name: "auth-header", Pattern: "Bearer, Basic, Token, Digest or ApiKey, and what looks drawn by chance", Keywords: []string{"bearer", "basic", "authorization"}, Source: "https://www.rfc-editor.org/rfc/rfc6750#section-2.1", Finds: "Authorization: Bearer «{40}»", Leaves: "Bearer token in the header", locate: findScheme},
		{Name: "digest-auth", Pattern: "Digest, and its response, nonce, cnonce and opaque", Keywords: []string{"digest"}, Source: "https://www.rfc-editor.org/rfc/rfc7616#section-3.4", Finds: `Authorization: Digest username="ada", realm="r", nonce="x", uri="/", response="«{32:hex}»"`, Leaves: `Digest realm="r", algorithm=SHA-256`, locate: findDigest},
		{Name: "cookie", Pattern: "Cookie: and Set-Cookie:, the values that look drawn by chance", Keywords: []string{"cookie"}, Source: "https://www.rfc-editor.org/rfc/rfc6265", Finds: "Cookie: theme=dark; session=«{64:hex}»", Leaves: "Cookie: theme=dark; lang=en", locate: findCookies},
		{Name: "command-password", Pattern: "sshpass -p, mysql -p, curl -u, redis-cli -a, openssl -passin pass:, IDENTIFIED BY and others, and their password", Keywords: []string{"sshpass", "mysql", "mariadb", "curl", "wget", "http", "redis-cli", "mongo", "ldap", "smbclient", "pass:", "identified", "with password", "login", "chpasswd", "docker", "ssh-keygen", "zip", "openssl", "plink", "pscp", "gh secret set", "net use", "convertto-securestring", "--from-literal"}, Source: "https://linux.die.net/man/1/sshpass", Finds: "sshpass -p «Xk9{13}» ssh ada@host", Leaves: "mysql -p shop", locate: findInCommand},
		{Name: "piped-password", Pattern: "echo … | and a program that reads a password", Keywords: []string{"--password-stdin", "sudo -s", "--with-token", "chpasswd", "cryptsetup"}, Source: "https://docs.docker.com/reference/cli/docker/login/", Finds: "echo «Xk9{13}» | docker login --password-stdin", Leaves: "echo $TOKEN | docker login --password-stdin", locate: findPiped},
		{Name: "netrc", Pattern: "machine … login … password …, and default", Keywords: []string{"login", "machine", "default"}, Source: "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html", Finds: "default password «Xk9{10}» login ada ", Leaves: "a machine whose login needs no password at all", locate: findNetrc},
		{Name: "putty-key", Pattern: "Private-Lines and Private-MAC of a .ppk", Keywords: []string{"private-lines:", "private-mac:"}, Source: "https://tartarus.org/~simon/putty-snapshots/htmldoc/AppendixC.html", Finds: "Private-Lines: 2\n«{64}\n{40}»\nPrivate-MAC: {64:hex}", Leaves: "Private-Lines: number-of-lines\nthat many lines of base64 data", locate: findPPK},
		{Name: "json-web-key", Pattern: "d, p, q, dp, dq, qi and k of a key in JSON", Keywords: []string{`"kty"`, `\"kty\`}, Source: "https://www.rfc-editor.org/rfc/rfc7518#section-6.2.2", Finds: `{"kty":"OKP","d":"«{43}»","x":"{43}"}`, Leaves: `{"kty":"OKP","x":"{43}"}`, locate: findJWK},
		{Name: "private-key", Pattern: "-----BEGIN … PRIVATE KEY-----, whole, cut off, on one line, in a diff or in quotes", Keywords: []string{"-----begin", "-----end"}, Source: "https://www.rfc-editor.org/rfc/rfc7468", Finds: "«-----BEGIN PRIVATE KEY-----\\n{64}\\n{64}»", Leaves: "-----BEGIN PRIVATE KEY-----\n...", locate: findPEM},
		{Name: "kubernetes-secret", Pattern: "values below data or stringData of kind: Secret", Keywords: []string{"kind"}, Source: "https://kubernetes.io/docs/concepts/configuration/secret/", Finds: "kind: Secret\ndata:\n  tls: «{24}»", Leaves: "kind: ConfigMap\ndata:\n  tls: {24}", locate: findKubernetes},
		{Name: "password-hash", Pattern: `\$(?:apr1|1|5|6|7|g?y|2[abxy]|[PHS]|argon2id?|argon2i|scrypt|pbkdf2[a-z0-9-]*|bcrypt-sha256)\$[./A-Za-z0-9$=,+-]{20,200}|(?:pbkdf2|scrypt|md5|sha1|SCRAM-SHA-\d+)[a-z0-9_:]*\$[./A-Za-z0-9$=,+:-]{20,200}|\{(?:SS?HA\d*|PBKDF2[A-Z0-9_-]*)\}[A-Za-z0-9$+./=]{27,}`, Keywords: []string{"$apr1$", "$1$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$2a$", "$2b$", "$2x$", "$2y$", "$p$", "$h$", "$s$", "$argon2", "$scrypt$", "$pbkdf2", "$bcrypt-", "pbkdf2_", "pbkdf2:", "scrypt:", "md5$", "sha1$", "scram-sha-", "{sha", "{ssha", "{pbkdf2"}, Source: "https://httpd.apache.org/docs/2.4/misc/password_encryptions.html", Finds: "ada:«$apr1${8}${22}»", Leaves: "$1$ and $2", accept: isHash, inside: true},
		{Name: "docker-auth", Pattern: `"_?auth\\*"\s*:\s*\\*"([A-Za-z0-9+/]{12,}={0,2})\\*"|:_auth\s*=\s*([A-Za-z0-9+/]{12,}={0,2})`, Keywords: []string{"auth\"", `auth\"`, ":_auth"}, Source: "https://docs.docker.com/reference/cli/docker/login/", Finds: `"auth":"«dXNlcjp{16:upper}QQ==»"`, Leaves: `"auth":"required-by-all"`, accept: isEncodedPair, inside: true},
		{Name: "url-parameter", Pattern: `(?i)[?&;](?:sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token|access_token|id_token|refresh_token|auth|code|apikey|api_key|key|token|secret|client_secret|password|pwd|sas)=([^&\s"'<>\\` + "`" + `#)]{16,})`, Keywords: []string{"sig=", "signature=", "token=", "auth=", "code=", "key=", "secret=", "sas="}, Source: "https://learn.microsoft.com/en-us/azure/storage/common/storage-sas-overview", Finds: "https://x.test/c?sv=2022&sig=«%2F{43}%3D»", Leaves: "https://x.test/?key=documentation-of-everything", accept: func(s string) bool { return isRandom(strings.TrimLeft(s, "%"), 16) }, inside: true},
		{Name: "webhook", Pattern: `(?i)discord(?:app)?\.com/api/webhooks/\d+/([\w-]{40,})|hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{30,})|[\w-]+\.webhook\.office\.com/webhookb2/([\w@/-]{40,})|hooks\.zapier\.com/hooks/catch/([\w/]{10,})|chat\.googleapis\.com/v1/spaces/[\w-]+/messages\?(key=[\w&=%-]{40,})|maker\.ifttt\.com/trigger/[\w-]+/with/key/([\w-]{20,})`, Keywords: []string{"/api/webhooks/", "hooks.slack.com", "webhook.office.com", "hooks.zapier.com", "chat.googleapis.com", "maker.ifttt.com"}, Source: "https://discord.com/developers/docs/resources/webhook", Finds: "https://discord.com/api/webhooks/1234567890/«{68}»", Leaves: "https://discord.com/api/webhooks/1/x", accept: func(s string) bool { return !holders().any(s) && shapeOf(s).kinds > 6 }, inside: true},
		{Name: "cookie-jar", Pattern: `\t(?:TRUE|FALSE)\t/[^\t\n]*\t(?:TRUE|FALSE)\t\d+\t[^\t\n]+\t([^\s"'\\]{16,})`, Keywords: []string{"\ttrue\t", "\tfalse\t"}, Source: "https://curl.se/docs/http-cookies.html", Finds: ".x.test\tTRUE\t/\tTRUE\t0\tsession\t«{40}»", Leaves: ".x.test\tTRUE\t/\tTRUE\t0\ttheme\tdark-and-very-quiet-colours", accept: func(s string) bool { return isRandom(s, 16) }, inside: true},
		{Name: "pgpass", Pattern: `[\w.*-]+:(?:\d{2,5}|\*):[\w*-]+:[\w*-]+:([^\s:"'\\]{6,})`, Keywords: []string{":5432:", ":5433:", ":6432:", ":*:"}, Source: "https://www.postgresql.org/docs/current/libpq-pgpass.html", Finds: "db:5432:shop:ada:«Xk9{10}»", Leaves: "db:5432:shop:ada:password", accept: func(s string) bool { return isPassword(s, true) }, inside: true},
		{Name: "json-web-token", Pattern: `ey[A-Za-z0-9_-]{14,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]{16,}|ey[A-Za-z0-9_-]{14,}\.ey[A-Za-z0-9_-]{14,}(?:\.[A-Za-z0-9_-]*)?`, Keywords: []string{"eyj", "eya", "ewog"}, Source: "https://www.rfc-editor.org/rfc/rfc7519", Finds: "«eyJ{33}.eyJ{60}.{43}»", Leaves: "eyJ.eyJ"},
	}
}

// The parameters of HTTP's Digest, and the parameters that let attackers guess the
// password.
var (
	digestLine  = lazy(`(?i)^\s+(?:username|realm|nonce|uri|qop|algorithm|response|opaque|cnonce|nc)\*?\s*=[^\r\n]{0,1000}`)
	digestValue = lazy(`(?i)\b(?:response|c?nonce|opaque)\s*=\s*\\*["']?([A-Za-z0-9+/=_:.-]{8,})`)
)

func findDigest(text string, _, end int) (list []span) {
	line := digestLine().FindString(text[end:min(len(text), end+longestValue)])
	for _, at := range digestValue().FindAllStringSubmatchIndex(line, -1) {
		if s := line[at[2]:at[3]]; !isPlaceholder(s) && shapeOf(s).digits > 0 {
			list = append(list, span{end + at[2], end + at[3]})
		}
	}
	return list
}

// userinfo matches the text between :// and @. The password of oddUserinfo has signs
// that end an address elsewhere.
var (
	userinfo    = lazy("^([^\\s/:@\"'`<>\\\\?#,;()\\[\\]{}]*)(?::([^\\s/\"'`<>\\\\]{1,200}))?@[\\w\\[*-]")
	oddUserinfo = lazy("^([^\\s/:@\"'`<>\\\\?#,;()\\[\\]{}]*):(\\S{8,100}?)@[\\w.-]+(?:[\\s:/?\"'`)\\]]|$)")
	notUserinfo = lazy("^\\d{1,5}[/?#]|(?:^|\\W)[\"'`<>\\\\]|[\"'`<>\\\\](?:\\W|$)")
)

func findInURL(text string, _, end int) []span {
	rest := text[end:min(len(text), end+600)]
	at, odd := userinfo().FindStringSubmatchIndex(rest), false
	if at == nil {
		at, odd = oddUserinfo().FindStringSubmatchIndex(rest), true
	}
	if at == nil {
		return nil
	}
	user := rest[at[2]:at[3]]
	if at[4] < 0 { // only a user, possibly a token
		if isRandom(user, 16) {
			return []span{{end + at[2], end + at[3]}}
		}
		return nil
	}
	secret := rest[at[4]:at[5]]
	switch n := shapeOf(secret); {
	case odd && (notUserinfo().MatchString(secret) || wordShare(secret) > quoted):
		return nil
	case isDrawn(secret, inURL):
	case odd || len(secret) < 4 || n.letters == 0 || strings.EqualFold(user, secret) || isPlaceholder(secret) || isExample(secret) || strings.ContainsAny(secret, "(){}[]^|;"):
		return nil
	}
	return []span{{end + at[4], end + at[5]}}
}

var scheme = lazy(`(?i)^(?:(?:\\*["']?\s*[:=,]?\s*\\*["'\x60]?)?\s{0,3}(?:bearer|basic|token|digest|apikey|api-key|jwt|ssws|negotiate|aws4-hmac-sha256)?)?[ +:%20]{1,3}\\*["']?([A-Za-z0-9._~+/=|:-]{8,})`)

// findScheme searches the text after Bearer, Basic or Authorization.
func findScheme(text string, start, end int) []span {
	at := scheme().FindStringSubmatchIndex(text[end:min(len(text), end+longestValue)])
	if at == nil {
		return nil
	}
	s := strings.TrimRight(text[end+at[2]:end+at[3]], ".:")
	isBasic := strings.EqualFold(text[start:end], "basic") || strings.Contains(strings.ToLower(text[end:end+at[2]]), "basic")
	if isBasic && isEncodedPair(s) || isRandom(s, 16) || uuid().MatchString(s) && len(s) == 36 && !isPlaceholder(s) {
		return []span{{end + at[2], end + at[2] + len(s)}}
	}
	return nil
}

var (
	cookieLine  = lazy(`^\\*["']?\s*[:=,]\s*\\*["'\x60]?([^\r\n"'\x60\\]{8,1000})`)
	cookieValue = lazy(`([\w.-]+)=([^;\s,]{8,})`)
	loggedIn    = lazy(`(?i)sess|auth|token|sid|jwt|login|remember`)
)

func findCookies(text string, _, end int) (list []span) {
	at := cookieLine().FindStringSubmatchIndex(text[end:min(len(text), end+longestValue)])
	if at == nil {
		return nil
	}
	line, from := text[end+at[2]:end+at[3]], end+at[2]
	for _, at := range cookieValue().FindAllStringSubmatchIndex(line, -1) {
		least := 16
		if loggedIn().MatchString(line[at[2]:at[3]]) {
			least = 10
		}
		if s := line[at[4]:at[5]]; isRandom(s, least) || least == 10 && len(s) == 36 && uuid().MatchString(s) {
			list = append(list, span{from + at[4], from + at[5]})
		}
	}
	return list
}

func isHash(s string) bool { return shapeOf(s).kinds > 12 && !strings.Contains(s, "$$") }

// isEncodedPair reports whether a text is base64 of user:password.
func isEncodedPair(s string) bool {
	plain := decodeBase64(strings.TrimRight(s, "="))
	user, secret, ok := strings.Cut(plain, ":")
	return ok && textIn(plain) == len(plain) && len(secret) >= 4 && user != secret && !isPlaceholder(secret) && !isExample(secret)
}

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
