package tables_test

import (
	"regexp"
	"slices"
	"testing"

	"hindsql/tables"
)

var (
	temporary = regexp.MustCompile(`(?:CREATE OR REPLACE TEMP (?:TABLE|MACRO|VIEW) (\w+)|\b(\w+) AS \()`) // or named in a WITH
	ofComment = regexp.MustCompile(`(?m)--.*$`)
)

// TestLinksSayWhatTheyNeed: a step that reads a temporary table which only an
// earlier step makes has to name that step, as it can't run where that failed.
// What the first step makes is always there.
func TestLinksSayWhatTheyNeed(t *testing.T) {
	makers := map[string][]string{} // of each temporary table
	always := map[string]bool{}
	needs := map[string][]string{} // of each step, with what those need
	for i, link := range tables.Links() {
		text := ""
		for _, part := range link.Parts {
			text += part.When + "\n" + part.SQL
		}
		text = ofComment.ReplaceAllString(text, "")
		needs[link.Name] = link.Needs
		for _, name := range link.Needs {
			if _, ok := needs[name]; !ok || name == link.Name {
				t.Errorf("%s needs %s, which is no earlier step", link.Name, name)
			}
			needs[link.Name] = append(slices.Clone(needs[link.Name]), needs[name]...)
		}
		own := map[string]bool{}
		for _, m := range temporary.FindAllStringSubmatch(text, -1) {
			own[m[1]+m[2]] = m[1] != ""
		}
		for table, by := range makers {
			_, named := own[table]
			reads := regexp.MustCompile(`\b(FROM|JOIN|INTO) ` + table + `\b`).MatchString(text)
			if reads && !named && !slices.ContainsFunc(by, func(name string) bool { return slices.Contains(needs[link.Name], name) }) {
				t.Errorf("%s reads %s, which %v makes, and doesn't need it", link.Name, table, by)
			}
		}
		for table, made := range own {
			switch {
			case i == 0:
				always[table] = true
			case made && !always[table]:
				makers[table] = append(makers[table], link.Name)
			}
		}
	}
}
