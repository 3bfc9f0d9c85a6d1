package kimi

import (
	"path"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// readState reads state.json in the session's folder: what the wires don't tell of the
// session (FORMAT.md §1).
func (w *wire) readState() {
	text, err := w.in.Beside(path.Join(w.folder(), stateFile))
	if err != nil {
		return
	}
	v, err := fastjson.ParseBytes(text)
	if err != nil {
		return // the agent writes the file again with each turn
	}
	w.session.Project = readers.Folder(readers.Text(v, "cwd"))
	w.origin = readers.Text(v, "forkedFrom")
	if w.agent == mainAgent {
		w.session.Title, w.session.ForkedFrom = readers.Text(v, "title"), w.origin
		if v.GetBool("archived") {
			w.extra["archived"] = true
		}
		return
	}
	about := v.Get("agents", w.agent)
	if parent := readers.Text(about, "parentAgentId"); parent != "" {
		w.session.ParentSessionID = w.sessionOf(parent)
	}
	if from := readers.Text(about, "forkedFrom"); from != "" { // no call started the agent
		w.side, w.copied = true, w.sessionOf(from)
	}
	w.note("swarm_item", readers.Text(about, "labels", "swarmItem"))
	if w.origin != "" {
		w.origin += "/" + w.agent
	}
}

func (w *wire) note(key, text string) {
	if text != "" {
		w.extra[key] = text
	}
}

// metadata handles the first line.
func (w *wire) metadata(v *fastjson.Value) {
	w.created = readers.Time(v.Get("created_at"))
	w.note("protocol", readers.Text(v, "protocol_version"))
}

// profile handles the agent's instructions, which name the working directory.
func (w *wire) profile(v *fastjson.Value) {
	if w.session.Project == "" {
		w.session.Project = readers.Folder(readers.Text(v, "environmentDisclosure", "cwd"))
	}
	w.note("profile", readers.Text(v, "profileName"))
}

func (w *wire) setMode(v *fastjson.Value) { w.mode = w.words.Of(v.GetStringBytes("mode")) }

// forked ends the lines that a fork copied from its original (FORMAT.md §7). The
// original is known from state.json, or else from a dialog, which names its session.
func (w *wire) forked(*fastjson.Value) {
	w.close()
	if w.origin == "" && w.askedIn != path.Base(w.folder()) {
		w.origin = w.askedIn
		if w.agent == mainAgent {
			w.session.ForkedFrom = w.origin
		} else if w.origin != "" {
			w.origin += "/" + w.agent
		}
	}
	for _, s := range w.said[w.forkedAt:] {
		s.OriginSessionID = w.origin
	}
	w.forkedAt = len(w.said)
}
