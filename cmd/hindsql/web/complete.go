package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"unicode/utf16"

	"hindsql/engine"
)

// mostWords is how many ways to go on are told.
const mostWords = 40

// completion is how a word of SQL may go on, with places as scripts count them:
// in units of UTF-16.
type completion struct {
	Start int      `json:"start"`
	Words []string `json:"words"`
}

// complete tells how the word at a place of SQL may go on, as JSON. It needs no
// sync: what is being typed is no question yet.
func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	q := s.asked(r)
	if !q.mayRun() {
		http.Error(w, "only pages of this server complete SQL", http.StatusForbidden)
		return
	}
	text := q.given.Get("sql")
	at, err := strconv.Atoi(q.given.Get("at"))
	if err != nil || at < 0 {
		http.Error(w, "at: the place in the SQL, from 0 on", http.StatusBadRequest)
		return
	}
	found, err := s.completed(r.Context(), text, bytesOf(text, at))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	to := completion{Start: unitsOf(text[:found.Start]), Words: found.Words[:min(len(found.Words), mostWords)]}
	if to.Words == nil {
		to.Words = []string{}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(to)
}

// completed asks the one session that completes for all: it remembers what it
// found.
func (s *Server) completed(ctx context.Context, text string, at int) (engine.Completions, error) {
	source, err := s.safeSource(ctx)
	if err != nil {
		return engine.Completions{}, err
	}
	s.completing.Lock()
	defer s.completing.Unlock()
	if s.completer == nil {
		if s.completer, err = source.Session(context.WithoutCancel(ctx)); err != nil {
			return engine.Completions{}, err
		}
	}
	return s.completer.Engine().Complete(ctx, text, at)
}

// unitsOf is how long a text is in units of UTF-16.
func unitsOf(s string) (n int) {
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// bytesOf is how many bytes of a text the first units of it take.
func bytesOf(s string, units int) int {
	for i, r := range s {
		if units <= 0 {
			return i
		}
		units -= max(1, utf16.RuneLen(r))
	}
	return len(s)
}
