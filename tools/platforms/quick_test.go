//go:build linux

package platforms

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// ended matches the lines in which go's tests end, with -test.v.
var ended = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+)`)

// stuck matches the lines that name the tests that ran when the time was over.
var stuck = regexp.MustCompile(`(?m)^\t+(Test\S+) \(\d.*\)$`)

// quickPatience is the time limit for a package's quick tests.
const quickPatience = 25 * time.Minute

// checkQuick runs the quick tests of packages, built for the user's platform, and prints
// a table of what ran and what failed. A failure has to be in the platform's list of
// known failures, known/PLATFORM.txt.
func (g target) checkQuick(t *testing.T, u *user, packages []string) {
	t.Helper()
	known := readKnown(t, g.name)
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "package\tpassed\tskipped\tfailed, known\tfailed, new\ttime")
	for _, pkg := range packages {
		r := g.quick(t, u, pkg)
		var fresh, old []string
		for _, name := range r.failed {
			if known[name] == "" {
				fresh = append(fresh, name)
			} else {
				old = append(old, name)
			}
		}
		t.Logf("%s: %d passed, %d skipped, failed: %q", pkg, r.passed, r.skipped, r.failed)
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.0f s\n", pkg, r.passed, r.skipped, len(old), len(fresh), r.took.Seconds())
		for _, name := range old {
			fmt.Fprintf(w, "  %s: %s\n", name, known[name])
		}
		if len(fresh) > 0 {
			t.Errorf("%s: these fail, and aren't in known/%s.txt: %s", pkg, g.name, strings.Join(fresh, ", "))
		}
		for name := range known {
			if path.Dir(strings.SplitN(name, ".Test", 2)[0]+"/x") == pkg && !slices.Contains(r.failed, name) {
				t.Logf("%s passes now, or is gone: take it off known/%s.txt", name, g.name)
			}
		}
	}
	_ = w.Flush()
	t.Logf("quick tests, without subtests:\n%s", table.String())
}

// result is what became of a package's tests. A failed test counts by its innermost
// subtests, and is named PACKAGE.TEST.
type result struct {
	answer
	passed, skipped int
	failed          []string
}

func (g target) quick(t *testing.T, u *user, pkg string) (r result) {
	t.Helper()
	program := g.tests(t, pkg, strings.ReplaceAll(pkg, "/", "-"))
	ctx, cancel := context.WithTimeout(t.Context(), quickPatience+time.Minute)
	defer cancel()
	c := u.start(ctx, t, u.path(program), "-test.short", "-test.v", "-test.timeout", quickPatience.String())
	c.Dir = filepath.Join(repository(), pkg)
	r.answer = finish(t, c)
	for _, m := range ended.FindAllStringSubmatch(r.out, -1) {
		isWhole := !strings.Contains(m[2], "/")
		switch {
		case m[1] == "FAIL":
			r.failed = append(r.failed, pkg+"."+m[2])
		case m[1] == "PASS" && isWhole:
			r.passed++
		case m[1] == "SKIP" && isWhole:
			r.skipped++
		}
	}
	if _, after, ok := strings.Cut(r.out+r.said, "panic: test timed out"); ok {
		for _, m := range stuck.FindAllStringSubmatch(after, -1) {
			r.failed = append(r.failed, pkg+"."+m[1])
		}
	}
	all := slices.Clone(r.failed)
	r.failed = slices.DeleteFunc(r.failed, func(name string) bool {
		return slices.ContainsFunc(all, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
	log := program + ".log"
	if err := os.WriteFile(log, []byte(r.out+r.said), 0o644); err != nil {
		t.Fatal(err)
	}
	if r.passed == 0 || r.code != 0 && len(r.failed) == 0 {
		t.Errorf("%s: exit code %d, %d passed; see %s\n%s", pkg, r.code, r.passed, log, tail(r.out+r.said, 2000))
	}
	return r
}

func tail(text string, n int) string { return text[max(0, len(text)-n):] }

// readKnown reads the list of known failures: a test and the reason on each line.
func readKnown(t *testing.T, platform string) map[string]string {
	t.Helper()
	known := map[string]string{}
	f, err := os.Open(filepath.Join("known", platform+".txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return known
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, reason, _ := strings.Cut(lines.Text(), " ")
		if name != "" && !strings.HasPrefix(name, "#") {
			known[name] = cmp.Or(strings.TrimSpace(reason), "?")
		}
	}
	return known
}
