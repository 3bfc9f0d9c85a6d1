package web

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"hindsql/internal/words"
)

// running lists the running statements of users, to let another page cancel each.
type running struct {
	mutex sync.Mutex
	list  map[string]*run
}

// run is a running statement.
type run struct {
	ID, SQL string
	Since   time.Time
	cancel  context.CancelCauseFunc
}

// errCancelled is the error of a cancelled statement.
var errCancelled = &problem{http.StatusServiceUnavailable, "The statement was cancelled."}

// during calls answer with a context that ends if a user cancels the statement, the
// client is gone, or the server ends. For a cancelled statement it returns
// errCancelled.
func (r *running) during(ctx context.Context, sql string, answer func(context.Context) error) error {
	inside, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if server, ok := ctx.Value(serverKey{}).(context.Context); ok {
		defer context.AfterFunc(server, func() { cancel(errCancelled) })()
	}
	one := &run{ID: rand.Text(), SQL: sql, Since: time.Now(), cancel: cancel}
	r.note(one)
	defer r.forget(one)
	err := answer(inside)
	if err != nil && errors.Is(context.Cause(inside), errCancelled) {
		return errCancelled
	}
	return err
}

func (r *running) note(one *run) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.list == nil {
		r.list = map[string]*run{}
	}
	r.list[one.ID] = one
}

func (r *running) forget(one *run) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.list, one.ID)
}

// all returns the running statements, the oldest first.
func (r *running) all() (list []run) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, one := range r.list {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b run) int { return a.Since.Compare(b.Since) })
	return list
}

// cancel ends a statement. It returns false if no statement with the id runs.
func (r *running) cancel(id string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	one := r.list[id]
	if one != nil {
		one.cancel(errCancelled)
	}
	return one != nil
}

// serverKey is the key of the server's context in a request's context.
type serverKey struct{}

// endingWith cancels running statements when the server's context ends. Otherwise the
// server would wait for them.
func endingWith(server context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), serverKey{}, server)))
	})
}

// showRunning lists the running statements. It doesn't sync, so it answers at once.
func showRunning(_ http.ResponseWriter, q *request) (*view, error) {
	type row struct {
		run
		For string
	}
	var rows []row
	for _, one := range q.server.running.all() {
		rows = append(rows, row{one, words.Duration(time.Since(one.Since))})
	}
	return &view{Title: "Running statements", Template: "running", Data: rows}, nil
}

// cancelRun ends a statement, and redirects to the list of running statements.
func cancelRun(w http.ResponseWriter, q *request) (*view, error) {
	q.server.running.cancel(q.PathValue("id")) // if not found, the statement already ended
	http.Redirect(w, q.Request, "/running", http.StatusSeeOther)
	return nil, nil
}
