package push

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
)

// Forget replaces everything the machine pushed with a tombstone. If no committer reads
// the folder, Forget deletes the machine's files and returns their number. Otherwise
// the committer deletes them. Later pushes fail until one with Consent.
func Forget(ctx context.Context, st *engine.Store, o Options) (removed int, err error) {
	p, unlock, err := begin(ctx, st, o)
	if err != nil {
		return 0, err
	}
	defer unlock()
	there, err := p.place(ctx)
	if err != nil {
		return 0, err
	}
	if err := p.compare(there); err != nil { // another machine pushed with this id
		return 0, err
	}
	if there.sum == "" && there.tombstone == nil && !there.forbidden && p.was.Manifest == nil && !p.isThere(ctx) {
		return 0, fmt.Errorf("%s: nothing of this machine lies there, and nothing is to be forgotten; see that it is spelled so", p.Target.URL)
	}
	stone := landing.Tombstone{Machine: p.machine, ForgottenAt: p.Now().UTC(), Consent: p.was.Consent}
	if there.manifest != nil {
		stone.Consent = there.manifest.Consent
	}
	stone.All = there.manifest == nil && p.was.Manifest == nil
	text, err := json.MarshalIndent(stone, "", " ")
	if err != nil {
		return 0, err
	}
	p.lose() // the state no longer says what was pushed
	p.was.Forgotten, p.was.Consent = true, stone.Consent
	if err := p.was.keep(p.statePath()); err != nil {
		return 0, err
	}
	if err := p.Target.Put(ctx, p.prefix+"/"+landing.TombstoneName, bytes.NewReader(text), int64(len(text))); err != nil {
		return 0, fmt.Errorf("%s: %w", p.Target.URL, err)
	}
	if p.tidies() {
		removed, err = p.empty(ctx)
	}
	return removed, err
}

// isThere reports whether the machine has files at the target, for example from a
// killed push.
func (p *pushing) isThere(ctx context.Context) bool {
	found := errors.New("found")
	err := p.Target.List(ctx, p.prefix, func(landing.Entry) error { return found })
	return err != nil // also true if the listing failed
}

// empty deletes all of the machine's files except the tombstone. The manifest goes
// first, so no reader looks for deleted files.
func (p *pushing) empty(ctx context.Context) (removed int, err error) {
	var names []string
	err = p.Target.List(ctx, p.prefix, func(e landing.Entry) error {
		switch strings.TrimPrefix(e.Name, p.prefix+"/") {
		case landing.TombstoneName:
		case landing.ManifestName:
			names = slices.Insert(names, 0, e.Name)
		default:
			names = append(names, e.Name)
		}
		return nil
	})
	p.sweep(p.Now().Add(time.Hour)) // no other push of the machine writes: the lock is held
	for _, name := range names {
		if err == nil {
			if err = p.Target.Remove(ctx, name); err == nil {
				removed++
			}
		}
	}
	return removed, err
}
