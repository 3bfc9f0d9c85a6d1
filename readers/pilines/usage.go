package pilines

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// aside handles a request outside the conversation: pi's to keep a cache warm, or
// oh-my-pi's, such as for a title. No answer has its tokens.
func (l *log) aside(e *entry, v *fastjson.Value) {
	var c content
	c.extra.Text("usage_kind", readers.Text(v, "kind"))
	c.extra.Text("note", readers.Text(v, "note"))
	m := &tables.Message{UUID: e.uuid, Model: l.words.Of(v.GetStringBytes("model"))}
	l.tokens(e, m, c, v.Get("usage"))
	e.message = true
}

// spent handles the tokens of a line that isn't an answer: a summary's, or those of a
// tool that asks models itself. The caller emits the line's other events
// before, because later events belong to the message emitted here.
func (l *log) spent(e *entry, usage *fastjson.Value) {
	if usage.Exists("input") || usage.Exists("output") {
		l.tokens(e, &tables.Message{UUID: e.uuid + usageMark}, content{}, usage)
		e.spent = true
	}
}

// tokens emits a message of tokens alone.
func (l *log) tokens(e *entry, m *tables.Message, c content, usage *fastjson.Value) {
	m.Role, m.Kind = tables.RoleSystem, tables.KindUsage
	m.Timestamp, m.Line, m.IsSidechain = e.at, e.line, l.agent
	l.usage(m, &c, usage)
	m.Extra = readers.Object(c.extra)
	l.in.Emit(m)
}
