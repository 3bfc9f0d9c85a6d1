package mcp

import (
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/engine"
)

// For tests.
type Crowd = sharedMemory

func (c *sharedMemory) Run(statement func() error) error { return c.run(statement) }

// SDK returns the SDK's server, for a transport of the test's.
func (s *Server) SDK() *sdk.Server { return s.sdk }

// ToolNames returns the names of toolList.
func ToolNames() (names []string) {
	for _, t := range toolList {
		names = append(names, t.name)
	}
	return names
}

// Running returns the number of running statements.
func (s *Server) Running() int64 { return s.memory.running.Load() }

// Fenced returns a text in a fence.
func Fenced(text string) string { return fenced(text) }

// TellEvery sets the interval of progress messages.
func (s *Server) TellEvery(d time.Duration) { s.progressEvery = d }

// Stage returns the progress number and the total of a load.
func Stage(now engine.Progress, last float64) (progress, total float64) {
	p := stage(now, last)
	return p.Progress, p.Total
}

// Hold keeps statements from running while use runs.
func (s *Server) Hold(use func()) {
	s.memory.alone.Lock()
	defer s.memory.alone.Unlock()
	use()
}
