package main

import (
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/internal/whole"
	"hindsql/queries"
)

// subject is a command with its arguments, or a saved query, as the walk tries it.
type subject struct {
	words   []string
	saved   *queries.Query // nil for a command
	command *cobra.Command
	flags   []string // the values of flags, such as --top=3; the first is empty: no flag
	formats []string // the first is empty: the command's own choice
	places  []string
}

// trial is a command line of the walk: a value of each factor.
type trial struct {
	*subject
	flag, format, place, home string
	before                    bool // the flags stand before the words
}

// Values of the factors place and home. A number is the width of a terminal.
var (
	places = []string{"40", "80", "120", "200", "pipe", "file"}
	homes  = []string{"sample", "empty"}
)

// arguments has the arguments with which the walk tries commands that take some.
var arguments = map[string][][]string{
	"hindsql": {{"FROM sessions"}, {}}, "hindsql find": {{"the"}}, "hindsql show": {{"last"}, {"nosuch"}}, "hindsql tables": {{}, {"rejections"}}, "hindsql queries": {{}, {"rejections"}},
	"hindsql queries new": {{"mine"}}, "hindsql report run": {{"weekly"}, {"refusals"}}, "hindsql report show": {{"weekly"}}, "hindsql report install": {{"weekly"}},
	"hindsql report uninstall": {{"weekly"}}, "hindsql prices": {{"opus"}}, "hindsql export": {{"out"}, {"-"}}, "hindsql push": {{"pushed"}}, "hindsql pull": {{"landing"}},
	"hindsql push install": {{"pushed"}}, "hindsql push uninstall": {{}}, "hindsql skill": {{"rules"}}, "hindsql skill install": {{}}, "hindsql skill uninstall": {{}},
}

// subjects lists all commands and saved queries, with the values of their flags.
func subjects(t *testing.T) (list []*subject) {
	e, _, _ := outside(t)
	saved, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range saved {
		a := &namedQuery{}
		root := newRootCommand(&e, a)
		run := commandNamed(root, "run")
		a.set(&e, run, q.Name)
		list = append(list, newSubject(t, run, q, q.Name))
	}
	visitCommands(rootOf(e), func(c *cobra.Command) {
		_, words, _ := strings.Cut(c.CommandPath(), " ")
		given, ok := arguments[c.CommandPath()]
		switch {
		case !c.Runnable() || c.Name() == "run" && c.Parent() == c.Root():
			return
		case !ok && strings.ContainsAny(c.Use, " ["):
			t.Errorf("%s takes arguments: name some for this test", c.Use)
		case !ok:
			given = [][]string{{}}
		}
		for _, args := range given {
			list = append(list, newSubject(t, c, nil, append(strings.Fields(words), args...)...))
		}
	})
	return list
}

// newSubject returns a command with words, and the values of its flags.
func newSubject(t *testing.T, c *cobra.Command, q *queries.Query, words ...string) *subject {
	s := &subject{words: words, saved: q, command: c, flags: []string{""}, formats: []string{""}, places: places[:5]}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		values := valuesOf(c, f, q)
		switch {
		case f.Name == "help" || f.Hidden:
		case f.Name == "output":
			s.places = places
		case values == nil:
			t.Errorf("%s --%s: declare values for this test, with tries", c.CommandPath(), f.Name)
		case f.Name == "format":
			s.formats = append(s.formats, values...)
		default:
			for _, v := range values {
				s.flags = append(s.flags, "--"+f.Name+"="+v)
			}
		}
	})
	return s
}

// valuesOf returns the values with which the walk tries a flag, good ones and bad ones;
// nil if the flag has none.
func valuesOf(c *cobra.Command, f *pflag.Flag, q *queries.Query) (values []string) {
	const bad = "nosuch"
	switch f.Value.Type() {
	case "bool":
		return []string{"true", "false"}
	case "int":
		return []string{"0", "3", "-1", bad}
	}
	if name := f.Annotations[paramAnnotation]; name != nil {
		p := q.Param(name[0])
		if p == nil { // during
			return []string{"last-week", bad}
		}
		values = slices.DeleteFunc([]string{strings.Trim(p.Default, "'"), nothing[p.Name]}, func(v string) bool { return v == "" || v == "NULL" })
	}
	values = append(values, f.Annotations[triesAnnotation]...)
	if complete, ok := c.GetFlagCompletionFunc(f.Name); ok && f.Annotations[triesAnnotation] == nil {
		proposed, _ := complete(c, nil, "")
		if f.Name != "format" {
			proposed = proposed[:min(len(proposed), 2)]
		}
		for _, p := range proposed {
			value, _, _ := strings.Cut(p, "\t")
			values = append(values, value)
		}
	}
	if values == nil || f.Name == "format" {
		return values
	}
	return append(values, bad)
}

// cover yields lines such that each pair of values of two factors occurs: of the subject
// and any other, and of any two others. Each value of a flag of each subject has one
// line; the rest of the line is the choice with the most new pairs.
func cover(list []*subject, random *rand.Rand) iter.Seq[trial] {
	seen := map[[2]string]bool{}
	return func(yield func(trial) bool) {
		type start struct {
			*subject
			flag string
		}
		var starts []start
		for _, s := range list {
			for _, flag := range s.flags {
				starts = append(starts, start{s, flag})
			}
		}
		random.Shuffle(len(starts), func(i, j int) { starts[i], starts[j] = starts[j], starts[i] })
		for round := 0; len(starts) > 0; round++ {
			left := starts[:0]
			for _, s := range starts {
				best, most := trial{}, 0
				for _, l := range s.lines(s.flag) {
					if n := len(l.unseen(seen)); n > most || n == most && random.IntN(2) == 0 {
						best, most = l, n
					}
				}
				if most == 0 {
					continue
				}
				for _, pair := range best.unseen(seen) {
					seen[pair] = true
				}
				left = append(left, s)
				best.before = random.IntN(2) == 0
				if !yield(best) {
					return
				}
			}
			starts = left
		}
	}
}

// lines returns all lines of a subject with one value of a flag.
func (s *subject) lines(flag string) (list []trial) {
	for _, format := range s.formats {
		for _, place := range s.places {
			for _, home := range homes {
				list = append(list, trial{subject: s, flag: flag, format: format, place: place, home: home})
			}
		}
	}
	return list
}

// unseen returns the line's pairs of values that no earlier line had.
func (l trial) unseen(seen map[[2]string]bool) (pairs [][2]string) {
	values := []string{"subject " + strings.Join(l.words, " "), "flag " + l.flag, "format " + l.format, "place " + l.place, "home " + l.home}
	for i, a := range values {
		for _, b := range values[i+1:] {
			if pair := [2]string{a, b}; !seen[pair] {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}

// TestWalk runs command lines, in which each pair of values of two factors occurs: a
// command or saved query, a value of a flag, a format, a place for the answer, and a home
// folder with the sample's logs or with none. A quick run tries 100 of the lines, a whole
// run as many as fit 90 seconds: the same lines each time, so that a change fails by its
// own faults. make torture tries all, in another choice each time; $HINDSQL_SEED repeats
// a run.
func TestWalk(t *testing.T) {
	if filepath.Separator == '\\' {
		t.Skip("the walk's home folders are those of Linux")
	}
	start, all, seed := time.Now(), os.Getenv("HINDSQL_TORTURE") != "", uint64(59)
	if given, err := strconv.ParseUint(os.Getenv("HINDSQL_SEED"), 10, 64); err == nil && given > 0 {
		seed = given
	} else if all {
		seed = uint64(start.UnixNano())
	}
	runs, most := 0, whole.Or(math.MaxInt, 100)
	w := newWalk(t)
	for l := range cover(subjects(t), rand.New(rand.NewPCG(seed, 0))) {
		if !all && (runs == most || time.Since(start) > 90*time.Second) {
			break
		}
		runs++
		t.Run(strconv.Itoa(runs), func(t *testing.T) { w.try(t, l) })
	}
	w.untouched(t)
	t.Logf("%d command lines in %v", runs, time.Since(start))
	if t.Failed() {
		t.Logf("HINDSQL_SEED=%d repeats this run", seed)
	}
}
