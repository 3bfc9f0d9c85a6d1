package push

import (
	"testing"
	"time"

	"hindsql/engine/fleet/landing"
)

// TestCompare: a push compares its state with the manifest at the target. A lost state
// has no units, so the push sends all rows again.
func TestCompare(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	mine := func(age time.Duration) *landing.Manifest {
		return &landing.Manifest{Writer: "w", Generation: 4, WrittenAt: now.Add(-age)}
	}
	for what, c := range map[string]struct {
		had      *landing.Manifest
		isCutOff bool
		there    remote
		takeOver bool
		base     int64 // a generation; 0 for nothing
		last     int64
		lost     bool
		taken    bool
	}{
		"as it was":           {had: mine(time.Hour), there: remote{sum: "s", manifest: mine(time.Hour)}, base: 4, last: 4},
		"forbidden":           {had: mine(time.Hour), there: remote{forbidden: true}, base: 4, last: 4},
		"cut off just now":    {had: mine(time.Hour), isCutOff: true, there: remote{sum: "b", manifest: &landing.Manifest{Writer: "w", Generation: 3}}, base: 4, last: 4},
		"cut off long ago":    {had: mine(20 * time.Hour), isCutOff: true, there: remote{sum: "b", manifest: &landing.Manifest{Writer: "w", Generation: 3}}, base: 3, last: 4, lost: true},
		"cut off, forbidden":  {had: mine(20 * time.Hour), isCutOff: true, there: remote{forbidden: true}, last: 4, lost: true},
		"gone":                {had: mine(time.Hour), there: remote{}, last: 4, lost: true},
		"a first push":        {there: remote{sum: "x", manifest: mine(time.Hour)}, base: 4, last: 4, lost: true},
		"an older copy":       {had: mine(time.Hour), there: remote{sum: "x", manifest: &landing.Manifest{Writer: "w", Generation: 2}}, base: 2, last: 4, lost: true},
		"of another writer":   {had: mine(time.Hour), there: remote{sum: "x", manifest: &landing.Manifest{Writer: "v", Generation: 9}}, last: 9, taken: true},
		"of a copied machine": {had: mine(time.Hour), there: remote{sum: "x", manifest: &landing.Manifest{Writer: "w", Generation: 5}}, last: 5, taken: true},
		"taken over":          {had: mine(time.Hour), there: remote{sum: "x", manifest: &landing.Manifest{Writer: "v", Generation: 9}}, takeOver: true, base: 9, last: 9, lost: true},
	} {
		was := newState("m")
		was.Writer, was.Consent, was.Sum, was.Before, was.Manifest, was.isCutOff = "w", "c", "s", "b", c.had, c.isCutOff
		was.Units = map[string]*unit{unitOf("messages", false, "2026-03-01"): {}}
		p := &pushing{Options: Options{Target: &landing.Target{}, TakeOver: c.takeOver, Now: func() time.Time { return now }}, machine: "m", was: was}
		err := p.compare(c.there)
		base := int64(0)
		if p.base != nil {
			base = p.base.Generation
		}
		if lost := len(p.was.Units) == 0; base != c.base || p.last != c.last || lost != c.lost || (err != nil) != c.taken {
			t.Errorf("%s: base %d, last %d, lost %t, %v; want %d, %d, %t, taken %t", what, base, p.last, lost, err, c.base, c.last, c.lost, c.taken)
		}
		if p.was.Writer != "w" || p.was.Consent != "c" {
			t.Errorf("%s: who pushed is forgotten: %+v", what, p.was)
		}
	}
}

// TestUnitOf: the names of units stay, because the states that older builds wrote
// contain them.
func TestUnitOf(t *testing.T) {
	for want, got := range map[string]string{"messages/2026-03-01": unitOf("messages", false, "2026-03-01"), "beside/messages/2026-03-01": unitOf("messages", true, "2026-03-01")} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
