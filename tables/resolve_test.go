package tables_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
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

var (
	makesTable = regexp.MustCompile(`CREATE OR REPLACE TEMP (?:TABLE|VIEW) (\w+)`)
	makesQuery = regexp.MustCompile(`\b(\w+) AS \(`) // in a WITH
	writes     = regexp.MustCompile(`\b(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)`)
	reads      = regexp.MustCompile(`\b(?:FROM|JOIN|USING) (\w+)`)
)

// TestLinksSummaries checks the first line of each step's file. It names the tables that
// the step's SQL reads and writes: tables of the store, and temporary tables passed
// between steps.
func TestLinksSummaries(t *testing.T) {
	type step struct{ made, queries, written, read map[string]bool }
	steps := map[string]step{}
	makers := map[string]string{} // last step by temporary table
	for _, link := range tables.Links() {
		text := ""
		for _, part := range link.Parts {
			text += part.When + "\n" + part.SQL
		}
		text = ofComment.ReplaceAllString(text, "")
		s := step{namesIn(makesTable, text), namesIn(makesQuery, text), namesIn(writes, text), namesIn(reads, writes.ReplaceAllString(text, ""))}
		for name := range s.made {
			makers[name] = link.Name
		}
		steps[link.Name] = s
	}
	shown := map[string]bool{}
	for _, table := range tables.All() {
		shown[table.Name] = true
	}
	for _, s := range steps {
		for name := range s.read {
			shown[name] = shown[name] || makers[name] != "" && !s.made[name] && !s.queries[name]
		}
	}
	for name, s := range steps {
		var read, written []string
		for table := range shown {
			switch {
			case !shown[table] || s.queries[table]:
				continue
			case s.read[table] && !s.made[table]:
				read = append(read, table)
			}
			if s.written[table] || s.made[table] {
				written = append(written, table)
			}
		}
		slices.Sort(read)
		slices.Sort(written)
		want := "-- reads " + strings.Join(read, ", ") + "; writes " + strings.Join(written, ", ") + "; when "
		file, err := os.ReadFile("resolve/" + name + ".sql")
		if first, _, _ := strings.Cut(string(file), "\n"); err != nil || len(first) <= len(want) || !strings.HasPrefix(first, want) {
			t.Errorf("resolve/%s.sql begins with\n%s\nwant\n%s…, then for which changed rows the step runs (%v)", name, first, want, err)
		}
	}
}

func namesIn(re *regexp.Regexp, text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
	}
	return names
}
