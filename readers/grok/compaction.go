package grok

import (
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// squeeze holds what the lines before a compaction's end tell of it.
type squeeze struct {
	begun      bool // only by the program itself
	at         time.Time
	used       tables.Maybe[int64]
	checkpoint string // id of the checkpoint, which is its file's name
}

func (l *log) compactionStarted(u *update) {
	l.squeeze = squeeze{begun: true, at: u.at, used: readers.Count(u.Value, "tokens_used")}
}

// checkpoint notes where the program kept what the model gets from now on.
func (l *log) checkpoint(u *update) { l.squeeze.checkpoint = readers.Text(u.Value, "checkpoint_id") }

func (l *log) compactionFailed(u *update) {
	l.squeeze = squeeze{}
	if said := readers.Text(u.Value, "error"); said != "" {
		l.say(l.side(u.message(tables.RoleSystem, tables.KindNotice, said)))
	}
}

// compacted handles the end of a compaction: of one by the program, or of a /compact
// (FORMAT.md §5).
func (l *log) compacted(u *update) {
	s := l.squeeze
	l.squeeze = squeeze{}
	m := u.message(tables.RoleUser, tables.KindSummary, summaryAt(l.in, s.checkpoint))
	l.say(l.side(m))
	if l.turn != nil {
		l.turn.response = nil
	}
	c := &tables.Compaction{
		UUID: u.id, Trigger: "manual", TriggerInferred: true,
		PreTokens: readers.Count(u.Value, "tokens_before"), PostTokens: readers.Count(u.Value, "tokens_after"),
		Summary: m.Text, SummarySource: tables.SummaryInline, Timestamp: u.at,
	}
	if s.begun {
		c.Trigger, c.TriggerInferred, c.DurationMS = "auto", false, since(s.at, u.at)
		if !c.PreTokens.OK {
			c.PreTokens = s.used
		}
	}
	if m.Text == "" {
		c.SummarySource = tables.SummaryNone
	}
	l.in.Emit(c)
}

// The checkpoint's folder, and the mark of the messages in it that the compaction made.
const (
	checkpoints    = "compaction_checkpoints"
	compactionMark = "compaction_meta"
)

// summaryAt returns the summary in a checkpoint: the last message that the compaction
// made, after the one about the user's machine. It is empty without the file.
func summaryAt(in *readers.Input, checkpoint string) (summary string) {
	if !isName(checkpoint) {
		return ""
	}
	text, err := in.Beside(path.Join(path.Dir(in.Rel), checkpoints, checkpoint+".json"))
	if err != nil {
		return ""
	}
	v, err := fastjson.ParseBytes(text)
	if err != nil {
		return ""
	}
	for _, m := range v.GetArray("compacted_history") {
		if readers.Text(m, "synthetic_reason") != compactionMark {
			continue
		}
		for _, part := range m.GetArray("content") {
			if said := readers.Text(part, "text"); said != "" && !strings.HasPrefix(said, "<user_info>") {
				summary = said
			}
		}
	}
	return summary
}
