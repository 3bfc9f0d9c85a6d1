package copilot

import (
	"cmp"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// models tracks which model answers in a thread. Up to 1.0.58, an answer doesn't name
// its model, but other events do (FORMAT.md §3.3).
type models struct {
	model   string            // model named last; empty if none, or if Copilot CLI chooses the model
	answers []*tables.Message // answers since the model was named last, none with a model of its own
}

// autoModel means that the program chooses the model.
const autoModel = "auto"

func (l *log) modelIn(v *fastjson.Value, keys ...string) string {
	model := l.words.Of(v.GetStringBytes(keys...))
	if model == autoModel {
		return ""
	}
	return model
}

// answeredBy gives an answer its own model, otherwise the last named model.
func (l *log) answeredBy(t *thread, m *tables.Message, own string) {
	if own != "" {
		l.names(t, m, own)
		return
	}
	m.Model = t.model
	t.answers = append(t.answers, m)
}

// names sets the model of the answer m and of the answers after m.
func (l *log) names(t *thread, m *tables.Message, model string) {
	m.Model, t.model = model, cmp.Or(model, t.model)
	if n := len(t.answers); n > 0 && t.answers[n-1] == m {
		t.answers = t.answers[:n-1]
	}
}

// resultBy takes the model named in a call's result. This model made the call, and also
// the earlier answers of the turn that have no model.
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

// nextModel sets the model of the following answers.
func (t *thread) nextModel(model string) { t.answers, t.model = nil, model }

func (l *log) modelChanged(e *event) { l.thread(e).nextModel(l.modelIn(e.Value, "newModel")) }

// modelChosen handles the program's choice of a model.
func (l *log) modelChosen(e *event) {
	if model := l.modelIn(e.Value, "chosenModel"); model != "" {
		l.thread(e).nextModel(model)
	}
}

// modelSelected handles the model with which a process began.
func (l *log) modelSelected(e *event) {
	if readers.Text(e.Value, "selectedModel") != "" {
		l.main.nextModel(l.modelIn(e.Value, "selectedModel"))
	}
}
