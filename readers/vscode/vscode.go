// Package vscode reads the chat sessions of VS Code (GitHub Copilot Chat): flat files,
// mutation logs, exports, and the transcripts of Copilot Chat. README.md describes the
// rows, FORMAT.md the files; comments refer to its sections.
//
// Comments use these words: a request is the user's question with the whole answer. A
// round is one message of the model, as Copilot sent it through the API
// (toolCallRounds). A part is a piece of the answer as VS Code showed it to the user
// (response). A tool call usually stands twice in the file: the model made it in a
// round, and VS Code showed it as a part.
package vscode

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed" // fields.txt
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/lists"
	"hindsql/internal/pattern"
	"hindsql/readers"
)

// Reader reads all generations of VS Code's chat sessions.
var Reader = &readers.Reader{
	Agent:    "vscode",
	Title:    "VS Code chat",
	Version:  6,
	Env:      "VSCODE_PORTABLE",
	EnvSub:   filepath.Join("user-data", "User"),
	Roots:    roots,
	Under:    under(),
	IsLog:    func(rel string) bool { return parsePlace(rel).kind != notLog },
	Read:     read,
	Records:  readers.ParseFacts("refusals? refused-diffs rule-refusals grants machine-grants interruptions? partial-output system-stops compactions compaction-tokens compaction-triggers? summaries branches subagents tokens thinking exit-codes versions git-branches"),
	Fields:   readers.Fields(fields),
	Versions: "of VS Code to 1.130, of its chat extension 0.31 to 0.60",
	Tested:   "0.60.0", // logs name the extension's
	Kept:     "A chat stays until you delete it, or the storage of its workspace goes. Of the transcripts of its chat extension, the 20 newest stay.",
	// microsoft/vscode, src/vs/workbench/contrib/chat/common/promptSyntax/config/promptFileLocations.ts,
	// DEFAULT_SKILL_SOURCE_FOLDERS.
	Skills: readers.SkillFolders{
		User:    readers.HomeFolders(readers.SharedSkills, ".claude/skills", ".copilot/skills"),
		Project: []string{readers.SharedSkills, ".claude/skills", ".github/skills"},
	},
	Servers: servers,
}

//go:embed fields.txt
var fields string

// products are the names of user-data folders (FORMAT.md §1.1).
var products = []string{"Code", "Code - Insiders", "Code - Exploration", "VSCodium", "code-oss-dev"}

// roots returns the User folders of all products, packages and servers.
func roots(host readers.Host) []string {
	home := func(parts ...string) string { return filepath.Join(append([]string{host.Home}, parts...)...) }
	config := cmp.Or(host.Getenv("VSCODE_APPDATA"), host.ConfigFolder())
	list := lists.Map(products, func(p string) string { return filepath.Join(config, p, "User") })
	if host.OS == "linux" {
		list = append(list,
			home("snap", "code", "current", ".config", "Code", "User"),
			home(".var", "app", "com.visualstudio.code", "config", "Code", "User"),
			home(".var", "app", "com.vscodium.codium", "config", "VSCodium", "User"))
	}
	for _, server := range []string{".vscode-server", ".vscode-server-insiders", ".vscode-server-oss", ".vscodium-server"} {
		list = append(list, home(server, "data", "User"))
	}
	return list
}

// under returns the patterns below a root. A root may be a User folder, the user-data
// folder above it, a part of either, or a folder of exports.
func under() []string {
	list := []string{"*.json", "*.jsonl", "*/chatSessions", "chatSessions", "emptyWindowChatSessions", "transferredChatSessions"}
	for _, user := range []string{"", "User/", "data/User/"} {
		list = append(list,
			user+"workspaceStorage/*/chatSessions",
			user+"workspaceStorage/*/GitHub.copilot-chat/transcripts",
			user+"globalStorage/emptyWindowChatSessions",
			user+"globalStorage/transferredChatSessions")
	}
	return list
}

// logKind is the kind of a file below the root.
type logKind int

const (
	notLog logKind = iota
	sessionFile
	exportFile
	transcriptFile
)

// place is what a log's path says about the log (FORMAT.md §1.1).
type place struct {
	kind   logKind
	rel    string
	folder string // the workspace's folder; empty if unknown
	stem   string
}

// settingsFiles lists VS Code's settings files, which may lie in the same folder as
// exports.
var settingsFiles = readers.SetOf(`settings keybindings tasks launch mcp locale extensions storage languagepacks argv
	chatLanguageModels workspace profileAssociations toolSets rapid_render product package`)

func parsePlace(rel string) place {
	dir, base := path.Split(rel)
	dir = path.Clean(dir)
	ext := path.Ext(base)
	if ext != ".json" && ext != ".jsonl" {
		return place{}
	}
	p := place{rel: rel, stem: strings.TrimSuffix(base, ext)}
	switch path.Base(dir) {
	case "chatSessions":
		p.kind, p.folder = sessionFile, path.Dir(dir)
	case "emptyWindowChatSessions", "transferredChatSessions":
		p.kind = sessionFile
	case "transcripts":
		p.kind, p.folder = transcriptFile, path.Dir(path.Dir(dir))
	case ".":
		if p.kind = exportFile; settingsFiles[p.stem] {
			return place{}
		}
	default:
		return place{}
	}
	return p
}

func read(in *readers.Input) error {
	at := parsePlace(in.Rel)
	if at.kind == transcriptFile {
		return readTranscript(in, at)
	}
	return readers.Peek(in, func(head *bufio.Reader, in *readers.Input) error {
		c := newChat(in, at)
		defer c.emitAll()
		if isMutationLog(head, path.Ext(in.Rel)) {
			return c.readLog(in)
		}
		return readers.Document(in, "requests", c.readDocument, c.readElement)
	})
}

// isMutationLog distinguishes logs from flat files by the first bytes, otherwise by the
// extension: either may have been renamed.
func isMutationLog(r *bufio.Reader, ext string) bool {
	head, _ := r.Peek(32)
	head = bytes.TrimPrefix(head, []byte("\uFEFF"))
	switch {
	case bytes.HasPrefix(head, []byte(`{"kind":`)):
		return true
	case bytes.HasPrefix(head, []byte("{\n")), bytes.HasPrefix(head, []byte("{\r\n")),
		bytes.HasPrefix(head, []byte(`{"version":`)), bytes.HasPrefix(head, []byte(`{"request`)), bytes.HasPrefix(head, []byte(`{"respond`)):
		return false
	}
	return ext == ".jsonl"
}

var noTime time.Time

// servers describes mcp.json in the user's profile, and .vscode/mcp.json in a workspace
// (microsoft/vscode-docs, docs/copilot/reference/mcp-configuration.md). `code
// --add-mcp` writes the user's file of VS Code, and replaces an entry of the same name
// (microsoft/vscode, src/vs/platform/mcp/common/mcpManagementCli.ts); no option removes
// a server. The command was not run here. A server
// runs in the workspace's folder by default (microsoft/vscode,
// src/vs/workbench/contrib/mcp/common/mcpConfiguration.ts, cwd).
var servers = readers.Servers{
	Add:      strings.Fields("code --add-mcp NAMED"),
	Replaces: true,
	User:     userServers,
	Project:  []string{".vscode/mcp.json"},
	Key:      []string{"servers"},
	Entry:    `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
	Note:     "it asks whether to trust the server when that first starts",
}

// userServers returns the file of each installed product, or of the first product if
// none is installed. It ignores the files of non-default profiles and of servers on
// another machine. `code` changes the file of the first product.
func userServers(host readers.Host) (list []readers.ServerFile) {
	folders := roots(host)
	if portable := host.Getenv("VSCODE_PORTABLE"); portable != "" {
		folders = []string{filepath.Join(portable, "user-data", "User")}
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err == nil && info.IsDir() && !strings.Contains(filepath.ToSlash(folder), "-server") {
			list = append(list, serverFile(folder, folder != folders[0]))
		}
	}
	if list == nil {
		list = append(list, serverFile(folders[0], false))
	}
	return list
}

func serverFile(folder string, byHand bool) readers.ServerFile {
	return readers.ServerFile{Paths: []string{filepath.Join(folder, "mcp.json")}, ByHand: byHand}
}

// location is the path in a URI, and the machine if it is a remote one.
type location struct {
	path   string
	remote string // ssh-remote+host, wsl+Ubuntu, dev-container+…
}

// readLocation reads a URI: a text, or VS Code's object.
func readLocation(v *fastjson.Value) location {
	switch {
	case v == nil:
		return location{}
	case v.Type() == fastjson.TypeString:
		return parseURI(readers.Text(v))
	case v.Type() != fastjson.TypeObject:
		return location{}
	}
	p := readers.Text(v, "path")
	switch readers.Text(v, "scheme") {
	case "file", "":
		return location{path: windowsPath(p)}
	case "vscode-remote":
		return location{p, readers.Text(v, "authority")}
	}
	return location{path: p}
}

// parseURI parses a URI by hand, because package url rejects escapes in a host.
func parseURI(text string) location {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || strings.ContainsAny(scheme, `/\`) {
		return location{path: text}
	}
	host, p := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, p = rest[:i], rest[i:]
	}
	host, p = unescape(host), unescape(p)
	switch {
	case scheme == "file" && host != "":
		return location{path: "//" + host + p}
	case scheme == "file":
		return location{path: windowsPath(p)}
	}
	return location{p, host}
}

func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

var drive = pattern.Lazy(`^/?([A-Za-z]):`)

// windowsPath turns a path like /c:/work into C:\work, as Windows writes it.
func windowsPath(p string) string {
	m := drive.FindStringSubmatch(p)
	if m == nil {
		return p
	}
	return strings.ToUpper(m[1]) + ":" + strings.ReplaceAll(p[len(m[0]):], "/", `\`)
}

// samePath reports whether two texts name the same path.
func samePath(a, b string) bool { return a != "" && windowsPath(a) == windowsPath(b) }
