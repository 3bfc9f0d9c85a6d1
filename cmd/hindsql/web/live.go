package web

import (
	"fmt"
	"net/http"
	"time"
)

// breath is how often an open stream says that it is still there, where nothing
// changes: what stands between would else cut it, and a closed page not be noticed.
const breath = 25 * time.Second

// tellChanges tells an open page of each change of the rows, as server-sent events. The
// page asks for itself again, and shows what differs: what a page holds is made
// in one place.
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
