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

// mostWords is the most completions in an answer.
const mostWords = 40

// completion is a list of words, each of which may replace the text from Start to the
// cursor. Start counts UTF-16 units, as JavaScript does.
type completion struct {
	Start int      `json:"start"`
	Words []string `json:"words"`
}

// completeSQL answers with JSON: the words that may stand at a position in the SQL. It
// syncs no logs first, because unfinished SQL isn't a question yet.
func completeSQL(w http.ResponseWriter, q *request) (*view, error) {
	fails := func(status int, text string) (*view, error) { // a script reads the error, not a person
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

// completer completes SQL for all pages. Its session stays open and caches the names
// that earlier completions looked up.
type completer struct {
	source func(context.Context) (*ask.Source, error)

	mutex   sync.Mutex
	session *ask.Session // nil before the first request
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

// unitsOf returns the length of a text in UTF-16 units.
func unitsOf(s string) (n int) {
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// bytesOf returns the number of bytes in the first UTF-16 units of a text.
func bytesOf(s string, units int) int {
	for i, r := range s {
		if units <= 0 {
			return i
		}
		units -= max(1, utf16.RuneLen(r))
	}
	return len(s)
}
