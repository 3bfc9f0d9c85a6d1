package lint_test

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	link      = regexp.MustCompile(`\]\(([^()\s]+(?:\([^()\s]*\))?[^()\s]*)\)`)
	headline  = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// TestLinks checks that each link of a page to a file or heading has a target. A link
// that begins with a slash counts from the root of the repository.
func TestLinks(t *testing.T) {
	t.Parallel()
	links := 0
	for _, p := range textFiles(t) {
		if path.Ext(p) != ".md" {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(read(t, p), ""), -1) {
			to, err := url.Parse(m[1])
			if err != nil {
				t.Errorf("%s: %v", p, err)
			}
			if err != nil || to.Scheme != "" {
				continue
			}
			links++
			file := p
			if rooted := strings.TrimPrefix(to.Path, "/"); rooted != to.Path {
				file = path.Clean(rooted)
			} else if to.Path != "" {
				file = path.Join(path.Dir(p), to.Path)
			}
			if len(glob(t, file)) != 1 {
				t.Errorf("%s: %s leads nowhere", p, m[1])
			} else if to.Fragment != "" && !anchors(read(t, file))[to.Fragment] {
				t.Errorf("%s: %s: %s has no such heading", p, m[1], file)
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d links found", links)
	}
}

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, m := range headline.FindAllStringSubmatch(page, -1) {
		all[strings.Map(func(c rune) rune {
			switch {
			case c == ' ':
				return '-'
			case unicode.IsLetter(c) || unicode.IsDigit(c) || c == '-' || c == '_':
				return unicode.ToLower(c)
			}
			return -1
		}, m[1])] = true
	}
	return all
}
