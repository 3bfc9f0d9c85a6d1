package web

import (
	"fmt"
	"net/http"
	"time"
)

// breath is the longest time without a message on an open page's stream. Without
// regular messages, proxies would close an idle stream, and the server wouldn't notice
// that the user closed the page.
const breath = 25 * time.Second

// tellChanges notifies an open page of each change of the rows, as server-sent events.
// The page's script then loads the page again and shows the differences, so only the
// server renders pages.
func tellChanges(w http.ResponseWriter, q *request) (*view, error) {
	news, stop := q.server.follower.watch()
	defer stop()
	to := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	if !told(w, to, "retry: 2000\n\n") {
		return nil, nil
	}
	tick := time.NewTicker(breath)
	defer tick.Stop()
	for {
		text := ": still here\n\n"
		select {
		case <-q.Context().Done():
			return nil, nil
		case _, open := <-news:
			if !open {
				return nil, nil
			}
			text = "event: change\ndata: " + q.server.Source.Store().SyncedAt().UTC().Format(time.RFC3339Nano) + "\n\n"
		case <-tick.C:
		}
		if !told(w, to, text) {
			return nil, nil
		}
	}
}

func told(w http.ResponseWriter, to *http.ResponseController, text string) bool {
	_, err := fmt.Fprint(w, text)
	return err == nil && to.Flush() == nil
}
