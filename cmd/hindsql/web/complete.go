package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"unicode/utf16"

	"hindsql/cmd/hindsql/ask"
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

// completeSQL tells how the word at a place of SQL may go on, as JSON. It needs no
// sync: what is being typed is no question yet.
func completeSQL(w http.ResponseWriter, q *request) (*view, error) {
	fails := func(status int, text string) (*view, error) { // a script reads it, no person
		http.Error(w, text, status)
		return nil, nil
	}
	if !q.mayRun() {
		return fails(http.StatusForbidden, "only pages of this server complete SQL")
	}
	text := q.given.Get("sql")
	at, err := strconv.Atoi(q.given.Get("at"))
	if err != nil || at < 0 {
		return fails(http.StatusBadRequest, "at: the place in the SQL, from 0 on")
	}
	found, err := q.server.completer.complete(q.Context(), text, bytesOf(text, at))
	if err != nil {
		return fails(http.StatusInternalServerError, err.Error())
	}
	to := completion{Start: unitsOf(text[:found.Start]), Words: found.Words[:min(len(found.Words), mostWords)]}
	if to.Words == nil {
		to.Words = []string{}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(to)
	return nil, nil
}

// completer completes for all pages in one session, which remembers what it found.
type completer struct {
	source func(context.Context) (*ask.Source, error)

	mutex   sync.Mutex
	session *ask.Session // nil before the first word
}

func (c *completer) complete(ctx context.Context, text string, at int) (engine.Completions, error) {
	source, err := c.source(ctx)
	if err != nil {
		return engine.Completions{}, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.session == nil {
		if c.session, err = source.Session(context.WithoutCancel(ctx)); err != nil {
			return engine.Completions{}, err
		}
	}
	return c.session.Engine().Complete(ctx, text, at)
}

func (c *completer) close() {
	if c.session != nil {
		_ = c.session.Close()
	}
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
