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

// held is how long a committer counts as working after its last sign of life.
const held = 10 * time.Minute

// Committer is the content of the lease, the file landing.CommitterName. If the file
// exists, a committer deletes superseded files, and machines don't. The content keeps two
// committers from doing the same work. The lease is no lock, because not every API can
// create a file only if missing. The catalog prevents damage by concurrent committers: it
// accepts a snapshot only on top of the snapshot's base. The lease of a killed committer
// blocks others until the lease ends.
type Committer struct {
	Owner     string    `json:"owner"`      // empty: no committer is working
	Until     time.Time `json:"until"`      // UTC; end of the lease
	WrittenAt time.Time `json:"written_at"` // UTC
	Catalog   string    `json:"catalog"`    // URL
	Namespace string    `json:"namespace"`  // namespace of the views
}

const leaseName = landing.Root + "/" + landing.CommitterName

// take takes the lease, or returns an error that names the holder.
func (l *Lake) take(ctx context.Context) error {
	c, err := l.committer(ctx)
	if err != nil {
		return err
	}
	if c.Owner != "" && c.Owner != l.Owner && l.Now().Before(c.Until) {
		return fmt.Errorf("%s: %s is at work until %s; wait for it, or say --take-over if it was ended", l.target.URL, c.Owner, c.Until.Format(time.TimeOnly+"Z"))
	}
	return l.write(ctx, l.Owner)
}

// TakeOver ends the lease of another committer.
func (l *Lake) TakeOver(ctx context.Context) error { return l.write(ctx, "") }

// renew extends the committer's own lease, at most once a minute.
func (l *Lake) renew(ctx context.Context) error {
	if l.Now().Sub(l.renewed) < time.Minute {
		return nil
	}
	return l.write(ctx, l.Owner)
}

// release ends the committer's own lease, even after an interruption. If another
// committer has taken over, release does nothing.
func (l *Lake) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if c, err := l.committer(ctx); err == nil && c.Owner != "" && c.Owner != l.Owner {
		return nil
	}
	return l.write(ctx, "")
}

func (l *Lake) write(ctx context.Context, owner string) error {
	now := l.Now().UTC()
	l.renewed = now
	text, err := json.Marshal(Committer{Owner: owner, Until: now.Add(held), WrittenAt: now, Catalog: l.Catalog, Namespace: l.Namespace})
	if err == nil {
		err = l.target.Put(ctx, leaseName, bytes.NewReader(text), int64(len(text)))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", leaseName, err)
	}
	return nil
}

// committer reads the lease file. A torn file counts as no lease.
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
