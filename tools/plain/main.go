// Command plain measures how plain our English is: the share of pointing words, such
// as what, that, it and none, in the sentences of Go comments and of Markdown. A
// sentence with many of them names too few things, and is read twice.
//
// In: files below -C, or those of the named paths. Out: the mean share and the number of
// sentences above 20 %, of all and by folder, and the twenty worst sentences. Sentences
// of fewer than nine words don't count. A low share alone doesn't make a sentence good.
//
//	plain [PATH...]                          by folder, and the worst twenty
//	plain -above 8 [PATH...]                 every sentence above 8 %, by file and line
//	plain -since COMMIT -above 33 -exit      only sentences with lines added since COMMIT
//
// With -exit the exit code is 1 if a sentence is listed. Usage errors are 2.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	folder := flag.String("C", ".", "the repository")
	above := flag.Float64("above", 0, "list sentences above this share, in percent, by file and line")
	since := flag.String("since", "", "only sentences with lines added since this commit")
	exit := flag.Bool("exit", false, "exit with 1 if a sentence is listed")
	flag.Parse()
	err := os.Chdir(*folder)
	var list []sentence
	if err == nil {
		list, err = read(flag.Args())
	}
	if err == nil && *since != "" {
		list, err = added(list, *since)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(2)
	}
	if *above == 0 {
		summarize(os.Stdout, list)
		return
	}
	list = slices.DeleteFunc(list, func(s sentence) bool { return 100*s.share() <= *above })
	for _, s := range list {
		fmt.Printf("%s:%d: %2.0f%% %s\n", s.file, s.first, 100*s.share(), s.text)
	}
	if *exit && len(list) > 0 {
		os.Exit(1)
	}
}

// sum is the figures of some sentences.
type sum struct {
	name             string
	sentences, above int // above: those above 20 %
	shares           float64
}

func (s *sum) add(t sentence) {
	s.sentences++
	s.shares += t.share()
	if t.share() > 0.2 {
		s.above++
	}
}

func (s *sum) mean() float64 { return s.shares / float64(max(s.sentences, 1)) }

func (s *sum) String() string {
	return fmt.Sprintf("%5.1f%% %5d of %5d sentences above 20 %%  %s", 100*s.mean(), s.above, s.sentences, s.name)
}

// summarize writes the figures of all sentences, of each folder, and the worst twenty.
func summarize(w io.Writer, list []sentence) {
	all := sum{name: "all"}
	byFolder := map[string]*sum{}
	var folders []*sum
	for _, s := range list {
		if byFolder[s.folder()] == nil {
			byFolder[s.folder()] = &sum{name: s.folder()}
			folders = append(folders, byFolder[s.folder()])
		}
		all.add(s)
		byFolder[s.folder()].add(s)
	}
	slices.SortStableFunc(folders, func(a, b *sum) int { return cmp.Compare(b.mean(), a.mean()) })
	fmt.Fprintln(w, &all)
	fmt.Fprintln(w)
	for _, f := range folders {
		fmt.Fprintln(w, f)
	}
	fmt.Fprintln(w)
	slices.SortStableFunc(list, func(a, b sentence) int { return cmp.Compare(b.share(), a.share()) })
	for _, s := range list[:min(20, len(list))] {
		fmt.Fprintf(w, "%3.0f%%  %s:%d: %s\n", 100*s.share(), s.file, s.first, strings.TrimSpace(s.text))
	}
}
