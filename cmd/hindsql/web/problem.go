package web

import (
	"errors"
	"net/http"

	"hindsql/engine"
)

// problem is an error that is the asker's, with its status.
type problem struct {
	status int
	text   string
}

// Error is what the page says.
func (p *problem) Error() string { return p.text }

// notFound is the error of an address that leads nowhere.
func notFound(text string) error { return &problem{http.StatusNotFound, text} }

// wrong is the error of a request that can't be answered as it is.
func wrong(text string) error { return &problem{http.StatusBadRequest, text} }

// statusOf is the status of an error's page.
func statusOf(err error) int {
	var p *problem
	switch {
	case errors.As(err, &p):
		return p.status
	case errors.As(err, new(*engine.Error)):
		return http.StatusBadRequest
	case errors.As(err, new(*engine.Limit)):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
