package web

import (
	"errors"
	"net/http"
	"net/url"

	"hindsql/engine/conversation"
)

// idURL leads to the session that a reference names, an id with or without the
// index of a message, whatever agent it is of; empty for none.
func idURL(reference string) string {
	if reference == "" {
		return ""
	}
	return "/id/" + url.PathEscape(reference)
}

// reference leads on to the session that an id, or as much of its beginning as no
// other has, names. Where it may be several, the page lists them.
func (s *Server) reference(w http.ResponseWriter, r *http.Request) {
	q := s.asked(r)
	defer q.close()
	id, message := conversation.Split(r.PathValue("reference"))
	found, err := conversation.Find(r.Context(), q.collect, "", id)
	var unclear *conversation.Unclear
	switch {
	case err == nil:
		http.Redirect(w, r, sessionURL(found.Agent, found.ID, message), http.StatusSeeOther)
	case errors.As(err, &unclear) && unclear.Count > 0:
		s.write(w, q, &view{Title: "Which session?", Template: "which", Data: unclear, Status: http.StatusMultipleChoices})
	case errors.As(err, &unclear):
		s.write(w, q, s.failed(r, notFound("No session has an id that begins with "+id+".")))
	default:
		s.write(w, q, s.failed(r, err))
	}
}
