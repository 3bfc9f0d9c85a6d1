package mcp

import "time"

// For tests.
type Crowd = crowd

func (c *crowd) Run(statement func() error) error { return c.run(statement) }

// Running is how many statements run.
func (s *Server) Running() int64 { return s.crowd.inside.Load() }

// Fenced is a text in a fence.
func Fenced(text string) string { return fenced(text) }

// TellEvery sets how often progress is told.
func (s *Server) TellEvery(d time.Duration) { s.newsEvery = d }
