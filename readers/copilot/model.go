package copilot

import (
	"cmp"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// models are those of a thread. To 1.0.58 no answer names its own (FORMAT.md §3.3).
type models struct {
	model   string            // the last one named; empty for none, or one that the program chooses
	answers []*tables.Message // of the turn, since a model was named: none of them has one of its own
}

// autoModel stands where the program chooses by itself.
const autoModel = "auto"

func (l *log) modelIn(v *fastjson.Value, keys ...string) string {
	model := l.words.Of(v.GetStringBytes(keys...))
	if model == autoModel {
		return ""
	}
	return model
}

// answeredBy gives an answer its model: its own, else the one named last.
func (l *log) answeredBy(t *thread, m *tables.Message, own string) {
	if own != "" {
		l.names(t, m, own)
		return
	}
	m.Model = t.model
	t.answers = append(t.answers, m)
}

// names notes the model of the last answer, which those after it have, too.
func (l *log) names(t *thread, m *tables.Message, model string) {
	m.Model, t.model = model, cmp.Or(model, t.model)
	if n := len(t.answers); n > 0 && t.answers[n-1] == m {
		t.answers = t.answers[:n-1]
	}
}

// resultBy takes the model that a call's result names: it made the call, and
// what was said in the turn before.
func (l *log) resultBy(t *thread, e *event) {
	model := l.modelIn(e.Value, "model")
	if model == "" {
		return
	}
	for _, m := range t.answers {
		m.Model = model
	}
	t.answers, t.model = nil, model
}

// nextModel takes the model that answers from here on.
func (t *thread) nextModel(model string) { t.answers, t.model = nil, model }

func (l *log) modelChanged(e *event) { l.thread(e).nextModel(l.modelIn(e.Value, "newModel")) }

// modelChosen takes what the program chose by itself.
func (l *log) modelChosen(e *event) {
	if model := l.modelIn(e.Value, "chosenModel"); model != "" {
		l.thread(e).nextModel(model)
	}
}

// modelSelected takes the model with which a process began.
func (l *log) modelSelected(e *event) {
	if readers.Text(e.Value, "selectedModel") != "" {
		l.main.nextModel(l.modelIn(e.Value, "selectedModel"))
	}
}
