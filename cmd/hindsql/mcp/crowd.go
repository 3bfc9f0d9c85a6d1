package mcp

import (
	"errors"
	"sync"
	"sync/atomic"

	"hindsql/engine"
)

// crowd runs the statements of concurrent calls. They share one memory limit, so a
// statement can run out of memory because of the others. crowd then runs the statement
// again, alone.
type crowd struct {
	alone  sync.RWMutex
	inside atomic.Int64
	came   atomic.Int64 // number of statements ever started
}

func (c *crowd) run(statement func() error) error {
	others, err := c.among(statement)
	var limit *engine.Limit
	if !others || !errors.As(err, &limit) || limit.What != "memory" {
		return err
	}
	c.alone.Lock()
	defer c.alone.Unlock()
	return statement()
}

// among runs a statement at the same time as others. others reports whether any other
// statement ran in the meantime.
func (c *crowd) among(statement func() error) (others bool, err error) {
	c.alone.RLock()
	defer c.alone.RUnlock()
	others = c.inside.Add(1) > 1
	before := c.came.Add(1)
	defer c.inside.Add(-1)
	err = statement()
	return others || c.came.Load() > before, err
}
