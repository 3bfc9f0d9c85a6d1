package web

import (
	"errors"
	"net/http"

	"hindsql/engine"
)

// problem is an error of the request, with its status.
type problem struct {
	status int
	text   string
}

// Error returns the text for the page.
func (p *problem) Error() string { return p.text }

// notFound returns the error for an address without a page.
func notFound(text string) error { return &problem{http.StatusNotFound, text} }

// wrong returns the error for a request with wrong values.
func wrong(text string) error { return &problem{http.StatusBadRequest, text} }

// statusOf returns the status of an error's page.
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
