package web

import (
	"errors"
	"net/http"
	"net/url"

	"hindsql/queries/conversation"
)

// idURL returns the URL of the session that a reference names, for any agent; empty for
// an empty reference. A reference is an id with or without the index of a message.
func idURL(reference string) string {
	if reference == "" {
		return ""
	}
	return "/id/" + url.PathEscape(reference)
}

// leadToSession redirects to the session with an id, or with a unique beginning of an
// id. If several sessions match, the page lists them.
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
