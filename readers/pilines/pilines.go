// Package pilines reads the lines in which pi keeps a session, and with pi its kin:
// oh-my-pi, Prime and OpenClaw. A [Program] declares one of these programs. A [Session]
// takes lines from another container, such as a database.
//
// In: lines of JSON. Out: [tables.Event] values. readers/pi/FORMAT.md describes the
// lines.
package pilines

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Program declares a program that writes pi's lines into files. Its fields are those of a
// [readers.Reader] if not described here.
type Program struct {
	Options

	Agent, Title string
	Version      int
	Versions     string // versions of the tested logs
	Kept         string // how long logs live; empty if unknown
	Env          string // variable with the folder of sessions
	Roots        func(readers.Host) []string
	Under        string                // folders of sessions below a root; empty if the root is one
	IsLog        func(rel string) bool // nil: each file *.jsonl
	Fields       func() *readers.FieldList
	Settings     func(readers.Host) []string // folder of settings, above the sessions
	Skills       readers.SkillFolders        // folders of skills
	Servers      readers.Servers             // configuration of MCP servers
	Resume       string                      // command line to resume a session; empty if unknown
	AlsoRecords  string                      // facts that its logs record and pi's don't, for [readers.ParseFacts]
}

// Facts are the facts that the logs of pi and all its kin record, for [readers.ParseFacts].
// An extent named after a fact's first one replaces it.
const Facts = "refusals waits refused-diffs rule-refusals interruptions partial-output system-stops compactions compaction-tokens summaries branches forks tokens thinking exit-codes costs "

// Options hold the differences between the lines of the programs.
type Options struct {
	AsksPermission bool   // the program itself asks for permission: see matchPermission
	ID             string // the session's id, before a header names another; empty: from the file's path

	OpenClaw bool            // the lines are OpenClaw's
	Known    *tables.Session // facts about the session from outside the lines, such as its ID; nil if none
	Extra    map[string]any  // added to the session's Extra
	Runs     []Run           // OpenClaw's interrupted runs
	ForkedAt time.Time       // earlier lines of an OpenClaw session are copies from Known.ForkedFrom; zero if none are
}

// New returns the reader of a program's files.
func New(k Program) *readers.Reader {
	if k.IsLog == nil {
		k.IsLog = func(rel string) bool { return strings.HasSuffix(rel, ".jsonl") }
	}
	return &readers.Reader{
		Agent:    k.Agent,
		Title:    k.Title,
		Version:  k.Version,
		Env:      k.Env,
		Roots:    k.Roots,
		Under:    []string{cmp.Or(k.Under, "*")},
		IsLog:    k.IsLog,
		Appends:  true,
		Read:     func(in *readers.Input) error { return Read(in, k.Options) },
		Records:  readers.ParseFacts(Facts + k.AlsoRecords),
		Fields:   k.Fields,
		Versions: k.Versions,
		Servers:  k.Servers,
		Resume:   k.Resume,
		Settings: k.Settings,
		Skills:   k.Skills,
		Kept:     cmp.Or(k.Kept, "No version is known to delete any."),
	}
}

// Session reads a session's lines from another container than a file: the caller passes
// each line to Line. Rows go to Emit of the input.
type Session struct {
	log     *log
	decoder readers.Decoder
}

// Begin starts a session without lines.
func Begin(in *readers.Input, o Options) *Session { return &Session{log: newLog(in, o)} }

// Line takes the next line, which is the nth of the session. A line that isn't one JSON
// object is a problem. json may change after Line returns.
func (s *Session) Line(n int64, json []byte) {
	line, seen := readers.Line{Number: n, Bytes: json, Whole: true}, false
	report := func(p *tables.Problem) {
		p.ByteOffset = 0
		s.log.in.Emit(p)
	}
	if len(bytes.TrimSpace(json)) == 0 {
		report(&tables.Problem{Line: n, What: "a line without text"})
		return
	}
	s.decoder.Objects(line, nil, func(v *fastjson.Value) {
		if !seen {
			s.log.record(v, line)
		}
		seen = true
	}, report)
}

// End completes the session after its last line.
func (s *Session) End() { s.log.finish() }
