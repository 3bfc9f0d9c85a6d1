package lake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"hindsql/engine/fleet/landing"
)

// held is how long a committer that says nothing more is believed to be at work.
const held = 10 * time.Minute

// lease is the file landing.CommitterName. That it is there tells machines that
// superseded files are deleted by a committer, not by them. What it says keeps
// two committers from doing the same work: it is no lock, because not all APIs
// write a file only where there is none. What two committers would spoil is kept
// by the catalog, which takes a snapshot only on top of the one that it was made
// for. A committer that was killed is waited for no longer than its lease.
type lease struct {
	owner string
	now   func() time.Time
	last  time.Time // when it was renewed
}

func newLease(c Config) *lease { return &lease{owner: c.Owner, now: c.Now} }

// Committer is what the file holds.
type Committer struct {
	Owner     string    `json:"owner"`      // empty: nobody is at work
	Until     time.Time `json:"until"`      // UTC; the lease's end
	WrittenAt time.Time `json:"written_at"` // UTC
	Catalog   string    `json:"catalog"`    // its URL
	Namespace string    `json:"namespace"`  // of the views
}

const leaseName = landing.Root + "/" + landing.CommitterName

// take takes the lease, or tells who has it.
func (l *Lake) take(ctx context.Context) error {
	c, err := l.committer(ctx)
	if err != nil {
		return err
	}
	if c.Owner != "" && c.Owner != l.lease.owner && l.Now().Before(c.Until) {
		return fmt.Errorf("%s: %s is at work until %s; wait for it, or say --take-over if it was ended", l.target.URL, c.Owner, c.Until.Format(time.TimeOnly+"Z"))
	}
	return l.write(ctx, l.lease.owner)
}

// TakeOver ends the lease of another committer.
func (l *Lake) TakeOver(ctx context.Context) error { return l.write(ctx, "") }

// renew keeps the lease, where a minute has gone by.
func (l *Lake) renew(ctx context.Context) error {
	if l.Now().Sub(l.lease.last) < time.Minute {
		return nil
	}
	return l.write(ctx, l.lease.owner)
}

// release gives the lease back, also where the work was interrupted. One that
// another committer took meanwhile, because it had ended, is that one's.
func (l *Lake) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if c, err := l.committer(ctx); err == nil && c.Owner != "" && c.Owner != l.lease.owner {
		return nil
	}
	return l.write(ctx, "")
}

func (l *Lake) write(ctx context.Context, owner string) error {
	now := l.Now().UTC()
	l.lease.last = now
	text, err := json.Marshal(Committer{Owner: owner, Until: now.Add(held), WrittenAt: now, Catalog: l.Catalog, Namespace: l.Namespace})
	if err == nil {
		err = l.target.Put(ctx, leaseName, bytes.NewReader(text), int64(len(text)))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", leaseName, err)
	}
	return nil
}

// committer reads the file. One that is torn is nobody's.
func (l *Lake) committer(ctx context.Context) (c Committer, err error) {
	r, err := l.target.Get(ctx, leaseName)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", leaseName, err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, 1<<16))
	if err == nil && json.Unmarshal(text, &c) != nil {
		c = Committer{}
	}
	return c, err
}
