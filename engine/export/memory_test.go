package export_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/engine/export"
)

// TestBounded: work that falls short of memory runs again with more, in the end with the
// limit that the user set. Other errors end the work, and the user's limit comes back.
func TestBounded(t *testing.T) {
	t.Parallel()
	s := enginetest.New(t).Open()
	short, other := errors.New("Out of Memory Error: failed to pin block of size 256.0 KiB"), errors.New("no space left")
	must(t, s.Read(context.Background(), func(r *engine.Reading) error {
		limit := func() (bytes int64) {
			must(t, r.Each(context.Background(), "SELECT parse_formatted_bytes(current_setting('memory_limit')) // 1000000", func(scan func(...any) error) error { return scan(&bytes) }))
			return bytes
		}
		must(t, r.Exec(context.Background(), "SET memory_limit = '2400 MB'"))
		was := limit() // 2362
		for _, c := range []struct {
			name string
			fail map[int]error // by the number of the run
			runs int
			err  error
		}{
			{"enough", nil, 1, nil},
			{"once short", map[int]error{1: short}, 2, nil},
			{"always short", map[int]error{1: short, 2: short, 3: short, 4: short}, 3, short},
			{"another error", map[int]error{1: other}, 1, other},
		} {
			var limits []int64
			err := export.Bounded(context.Background(), r, func() error {
				limits = append(limits, limit())
				return c.fail[len(limits)]
			})
			want := []int64{399, 737, was}[:c.runs] // a quarter of a machine whose four fifths the limit is
			for i := range want {
				if i < len(limits) && limits[i] > want[i]-3 && limits[i] < want[i]+3 {
					want[i] = limits[i]
				}
			}
			if !errors.Is(err, c.err) || !slices.Equal(limits, want) {
				t.Errorf("%s: limits %v, error %v; want %v, %v", c.name, limits, err, want, c.err)
			}
			if now := limit(); now != was {
				t.Errorf("%s: %s", c.name, fmt.Sprint("the limit is ", now, ", want ", was))
			}
		}
		return nil
	}))
}
