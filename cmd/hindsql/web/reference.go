package web

import (
	"errors"
	"net/http"
	"net/url"

	"hindsql/queries/conversation"
)

// idURL leads to the session that a reference names, an id with or without the
// index of a message, whatever agent it is of; empty for none.
func idURL(reference string) string {
	if reference == "" {
		return ""
	}
	return "/id/" + url.PathEscape(reference)
}

// leadToSession leads on to the session that an id, or as much of its beginning as no
// other has, names. Where it may be several, the page lists them.
func leadToSession(w http.ResponseWriter, q *request) (*view, error) {
	id, message := conversation.Split(q.PathValue("reference"))
	found, err := conversation.Find(q.Context(), q.run, "", id)
	var unclear *conversation.Unclear
	switch {
	case err == nil:
		http.Redirect(w, q.Request, sessionURL(found.Agent, found.ID, message), http.StatusSeeOther)
		return nil, nil
	case errors.As(err, &unclear) && unclear.Count > 0:
		return &view{Title: "Which session?", Template: "which", Data: unclear, Status: http.StatusMultipleChoices}, nil
	case errors.As(err, &unclear):
		return nil, notFound("No session has an id that begins with " + id + ".")
	}
	return nil, err
}
