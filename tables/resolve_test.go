package tables_test

import (
	"regexp"
	"slices"
	"testing"

	"hindsql/tables"
)

var (
	temporary = regexp.MustCompile(`(?:CREATE OR REPLACE TEMP (?:TABLE|MACRO|VIEW) (\w+)|\b(\w+) AS \()`) // or a name in a WITH
	ofComment = regexp.MustCompile(`(?m)--.*$`)
)

// TestLinksSayWhatTheyNeed checks that a step names the earlier step whose temporary
// table it reads, because the table is missing if the earlier step failed. Tables of
// the first step always exist.
func TestLinksSayWhatTheyNeed(t *testing.T) {
	makers := map[string][]string{} // steps by temporary table
	always := map[string]bool{}
	needs := map[string][]string{} // by step, with indirect needs
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
