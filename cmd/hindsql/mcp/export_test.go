package mcp

import (
	"time"

	"hindsql/engine"
)

// For tests.
type Crowd = crowd

func (c *crowd) Run(statement func() error) error { return c.run(statement) }

// Running is how many statements run.
func (s *Server) Running() int64 { return s.crowd.inside.Load() }

// Fenced is a text in a fence.
func Fenced(text string) string { return fenced(text) }

// TellEvery sets how often progress is told.
func (s *Server) TellEvery(d time.Duration) { s.newsEvery = d }

// Stage is the number that is told of how far a load is, and the total.
func Stage(now engine.Progress, last float64) (progress, total float64) {
	p := stage(now, last)
	return p.Progress, p.Total
}
