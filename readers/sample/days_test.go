package sample_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hindsql/readers/sample"
)

// until returns the days for a last day.
func until(t *testing.T, last string) sample.Days {
	t.Helper()
	day, err := time.Parse(time.DateOnly, last)
	if err != nil {
		t.Fatal(err)
	}
	days, err := sample.Until(day)
	if err != nil {
		t.Fatal(err)
	}
	return days
}

func TestMove(t *testing.T) {
	t.Parallel()
	days := until(t, "2028-03-01") // 496 days
	for text, want := range map[string]string{
		`{"t":"2026-10-22T09:14:00.123Z"}`:         `{"t":"2028-03-01T09:14:00.123Z"}`,
		`sessions/2026/10/12/rollout-2026-10-12T1`: `sessions/2028/02/20/rollout-2028-02-20T1`,
		`"last line\n2026-10-21 more"`:             `"last line\n2028-02-29 more"`,
		`\\n2026-10-01,`:                           `\\n2028-02-09,`,
		`1792660587 1792660587895`:                 `1835514987 1835514987895`,
		`1792660587895123,1792660587.895`:          `1835514987895123,1835514987.895`,
		`replace_1791797652000_0`:                  `replace_1834652052000_0`,
		`a1792660587, 1792660587b`:                 `a1792660587, 1792660587b`, // in a hash or an id
		`2026-09-30 2026-11-01 2026-10-32`:         `2026-09-30 2026-11-01 2026-10-32`,
		`1790812799 1793491200 179266058789`:       `1790812799 1793491200 179266058789`,
		`019f9a10-4c11-7b62-9d0e-5a1f0c3e7701`:     `019f9a10-4c11-7b62-9d0e-5a1f0c3e7701`,
	} {
		got := string(days.Move([]byte(text)))
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if len(got) != len(text) {
			t.Errorf("%s has another length than %s", got, text)
		}
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()
	if days := until(t, sample.Last); days != 0 {
		t.Errorf("%s: moved by %d days", sample.Last, days)
	}
	west, east := time.FixedZone("west", -11*3600), time.FixedZone("east", 14*3600)
	for _, zone := range []*time.Location{west, east} {
		if days, err := sample.Until(time.Date(2026, 10, 23, 23, 59, 0, 0, zone)); err != nil || days != 1 {
			t.Errorf("%s: moved by %d days, %v", zone, days, err)
		}
	}
	for _, year := range []int{0, 1970, 2001, 2100, 9999} {
		if _, err := sample.Until(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)); err == nil {
			t.Errorf("%d: no error", year)
		}
	}
}

// strays matches what a move would leave behind: a moment in another form.
var strays = regexp.MustCompile(`(?i)[^0-9a-f]202610\d\d[^0-9a-f]|\d oct[a-z]* (2026|\d\d:)|2026%2F10|2026\\/10`)

// TestSampleIsMovable: the moments of the sample are written in the forms that Move
// knows, the last is of the day Last before 10:00 UTC, and a moved file has the same
// length.
func TestSampleIsMovable(t *testing.T) {
	t.Parallel()
	const far = "2031-05-05"
	written, moved := t.TempDir(), t.TempDir()
	home, err := sample.Write(written)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := until(t, far).Write(moved); err != nil {
		t.Fatal(err)
	}
	latest := ""
	stamp := regexp.MustCompile(`2026-10-\d\dT\d\d:\d\d`)
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(written, path)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := os.Stat(filepath.Join(moved, string(until(t, far).Move([]byte(filepath.ToSlash(rel))))))
		if err != nil {
			return err
		}
		if info.Size() != int64(len(text)) {
			t.Errorf("%s has %d bytes, %d moved", rel, len(text), info.Size())
		}
		for _, place := range [][]byte{[]byte(rel), text} {
			if m := strays.Find(place); m != nil {
				t.Errorf("%s: %q isn't moved", rel, m)
			}
		}
		for _, m := range stamp.FindAll(text, -1) {
			latest = max(latest, string(bytes.TrimSpace(m)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if latest[:len(sample.Last)] != sample.Last || latest[len(sample.Last):] > "T10:00" {
		t.Errorf("the last moment is %s", latest)
	}
}

// TestEarlier: moved samples of earlier days are removed, of any build, unless open.
// Samples as written and other files stay.
func TestEarlier(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	parent := filepath.Join(cache, "hindsql")
	stay := []string{"sample-00000000", "sample-33333333-2026-11-24", "sample-11111111-2026-11-28", "sample-mine-2026-11-01", "other"}
	gone := []string{"sample-11111111-2026-11-25", "sample-22222222-2026-11-26"}
	long := time.Now().Add(-time.Hour)
	for _, name := range slices.Concat(stay, gone) {
		folder := filepath.Join(parent, name)
		if err := errors.Join(os.MkdirAll(folder, 0o700), os.Chtimes(folder, long, long)); err != nil {
			t.Fatal(err)
		}
	}
	isOpen := func(store string) bool { return strings.Contains(store, "33333333") }
	for _, last := range []string{sample.Last, "2026-11-27"} { // the first removes nothing
		if _, _, err := until(t, last).Unpack(cache, isOpen); err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Concat(stay, gone) {
			want := last == sample.Last || slices.Contains(stay, name)
			if _, err := os.Stat(filepath.Join(parent, name)); (err == nil) != want {
				t.Errorf("%s: %s is there: %t, want %t", last, name, err == nil, want)
			}
		}
	}
}
