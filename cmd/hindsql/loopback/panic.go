package loopback

import "net/http"

// Recovering keeps the server alive if a handler panics: the request gets an error, with
// the words that panicked returns. An answer that has begun breaks off. If panicked is
// nil, Recovering does nothing.
func Recovering(panicked func(value any) string, next http.Handler) http.Handler {
	if panicked == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &begun{ResponseWriter: w}
		defer func() {
			value := recover()
			if value == nil {
				return
			}
			if value == http.ErrAbortHandler { //nolint:errorlint // the server compares so, too
				panic(value)
			}
			text := panicked(value)
			if answer.is {
				panic(http.ErrAbortHandler)
			}
			http.Error(w, text, http.StatusInternalServerError)
		}()
		next.ServeHTTP(answer, r)
	})
}

// begun notes whether an answer has begun.
type begun struct {
	http.ResponseWriter
	is bool
}

// WriteHeader begins the answer.
func (b *begun) WriteHeader(status int) {
	b.is = true
	b.ResponseWriter.WriteHeader(status)
}

// Write begins the answer, if it hasn't begun.
func (b *begun) Write(text []byte) (int, error) {
	b.is = true
	return b.ResponseWriter.Write(text)
}

// Flush begins the answer, for handlers that ask for an [http.Flusher].
func (b *begun) Flush() {
	b.is = true
	_ = http.NewResponseController(b.ResponseWriter).Flush()
}

// Unwrap is for [http.ResponseController].
func (b *begun) Unwrap() http.ResponseWriter { return b.ResponseWriter }
