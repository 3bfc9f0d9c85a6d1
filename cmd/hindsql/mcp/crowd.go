package mcp

import (
	"errors"
	"sync"
	"sync/atomic"

	"hindsql/engine"
)

// crowd are the statements that run side by side. They share one bound of memory:
// one that meets it while others run may be innocent, and runs once more, alone.
type crowd struct {
	alone  sync.RWMutex
	inside atomic.Int64
	came   atomic.Int64 // how many ever did
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

// among runs a statement beside others, and says whether there were any.
func (c *crowd) among(statement func() error) (others bool, err error) {
	c.alone.RLock()
	defer c.alone.RUnlock()
	others = c.inside.Add(1) > 1
	before := c.came.Add(1)
	defer c.inside.Add(-1)
	err = statement()
	return others || c.came.Load() > before, err
}
