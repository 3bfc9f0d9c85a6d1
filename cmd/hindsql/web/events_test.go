package web_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

var countOf = regexp.MustCompile(`(?:<b>[\d,]+–[\d,]+</b> of ([\d,]+)|No) (refusals|interruptions|compactions|clears|questions|sessions)`)

// TestListsOfEvents checks the number of events against readers/sample/CASES.md.
func TestListsOfEvents(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 4.0 s of processor time")
	t.Parallel()
	o := onSample(t)
	for path, want := range map[string]string{
		"/refusals":                                                  "43", // 15, 4, 4, 3, 3, 3, 2, 2, 2, 2, 1, 1 and 1
		"/refusals?agent=claude":                                     "15",
		"/refusals?agent=CLAUDE&kind=edit":                           "7",
		"/refusals?agent=gemini":                                     "4",
		"/refusals?agent=claude&decided_by=rule":                     "2",
		"/refusals?agent=claude&decided_by=nobody":                   "2",
		"/refusals?agent=claude&decided_by=hook":                     "1",
		"/refusals?agent=claude&decided_by=all":                      "22",
		"/refusals?text=THAT+IS+staging":                             "1",
		"/refusals?text=STAGING,+use+make":                           "",
		"/refusals?text=100%25":                                      "",
		"/refusals?text=%27+OR+1=1":                                  "",
		"/refusals?during=2026-10":                                   "43",
		"/refusals?during=2026-09":                                   "",
		"/refusals?since=2026-10-01&until=2026-11-01&during=2026-09": "43", // since and until, which the user typed, take precedence over during
		"/refusals?project=no-such-folder":                           "",
		"/refusals?tool=%27%22%3Cscript%3E":                          "",
		"/interruptions?agent=claude":                                "4", // 9, minus 5 that are refusals
		"/interruptions?agent=claude&type=system":                    "3",
		"/interruptions?agent=neovate":                               "3",
		"/compactions":                                               "15",
		"/compactions?agent=claude&trigger=auto":                     "2",
		"/clears":                                                    "7",
		"/clears?agent=claude&trigger=plan":                          "1",
		"/approvals?agent=copilot&decided_by=granted":                "9",
		"/sessions?agent=claude":                                     "14",
		"/sessions?agent=copilot":                                    "3",
	} {
		status, text := o.get(path)
		m := countOf.FindStringSubmatch(text)
		if status != 200 || m == nil || m[1] != want {
			t.Errorf("%s: status %d, %q, want %q", path, status, m, want)
		}
	}
}

// TestListsAreQueries checks that a page counts as many events as the saved query with
// the same filters has rows.
func TestListsAreQueries(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 5.4 s of processor time")
	t.Parallel()
	o := onSample(t)
	for page, query := range map[string]string{"/refusals": "rejections", "/interruptions": "interruptions", "/compactions": "compactions", "/clears": "clears"} {
		for _, filters := range []string{"", "agent=claude", "project=SHOP", "since=2026-10-12", "until=2026-10-12", "text=the", "during=2026-10&agent=gemini"} {
			_, text := o.get(page + "?" + filters)
			m := countOf.FindStringSubmatch(text)
			_, file := o.get("/query/" + query + ".csv?top=0&" + filters)
			rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
			must(t, err)
			want := fmt.Sprint(len(rows) - 1)
			if want == "0" {
				want = ""
			}
			if m == nil || m[1] != want {
				t.Errorf("%s?%s: %q, and the query has %s", page, filters, m, want)
			}
		}
	}
}

var refusalLinks = regexp.MustCompile(`<h2><a href="(/refusal/[^"]+)"`)

// TestStopsShowThePrompt checks that a stop shows the prompt that the agent was
// answering, but not as the cut text.
func TestStopsShowThePrompt(t *testing.T) {
	whole.Test(t, "loads the sample, 1.0 s of processor time")
	t.Parallel()
	_, text := onSample(t).get("/interruptions?agent=gemini&phase=response")
	const asked = `<p class="who">It was answering</p><div class="text">use the on-call rota of the shop team`
	if !strings.Contains(text, asked) || strings.Contains(text, "What there was when it was cut") {
		t.Errorf("%s", text)
	}
}

func TestPagesOfRefusals(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 2.2 s of processor time")
	t.Parallel()
	o := onSample(t)
	seen := map[string]bool{}
	_, first := o.get("/refusals")
	next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(first)
	if next == nil {
		t.Fatal("43 refusals are on one page")
	}
	_, second := o.get(html.UnescapeString(next[1]))
	for _, page := range []string{first, second} {
		for _, m := range refusalLinks.FindAllStringSubmatch(page, -1) {
			seen[m[1]] = true
		}
	}
	if len(seen) != 43 || !strings.Contains(second, "26–43") || !strings.Contains(second, `rel="prev"`) {
		t.Errorf("two pages hold %d refusals", len(seen))
	}
	for i, link := range slices.Sorted(maps.Keys(seen)) {
		t.Run(link, func(t *testing.T) {
			whole.Most(t, i, 7, "each refusal's page")
			if status, _ := o.get(html.UnescapeString(link)); status != 200 {
				t.Errorf("status %d", status)
			}
		})
	}
}

// TestFiltersOfLists checks that the filters of a list offer its values and "all".
func TestFiltersOfLists(t *testing.T) {
	t.Parallel()
	onSample(t).shows("/refusals", `<select id="f-agent" name="agent"`, `<option value="claude">`, `<select id="f-tool" name="tool"`, `<option value="all">`, `<option value="rule">`)
}

// TestFiltersAreLinks checks that a link removes each set filter, and that the form
// shows the filter.
func TestFiltersAreLinks(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	_, text := o.get("/refusals?agent=claude&tool=Edit&text=%22%3Cb%3E&page=1")
	for _, want := range []string{
		`href="/refusals?text=%22%3Cb%3E&amp;tool=Edit"`, `href="/refusals?agent=claude&amp;text=%22%3Cb%3E"`, `href="/refusals?agent=claude&amp;tool=Edit"`,
		`<option value="claude" selected>`, `name="text" value="&#34;&lt;b&gt;"`, `class="all" href="/refusals"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(text, "<b>\"") {
		t.Error("what was typed is HTML")
	}
}

func TestWrongFilters(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	for query, want := range map[string]struct {
		status int
		text   string
	}{
		"since=yesterdayy&agent=claude":     {400, `id="w-since"`},
		"agent=cloude":                      {400, "did you mean claude?"},
		"decided_by=me":                     {400, `id="w-decided_by"`},
		"page=0":                            {400, `id="w-page"`},
		"page=-3":                           {400, `id="w-page"`},
		"page=99999999999999999999":         {400, `id="w-page"`},
		"page=9999999999":                   {404, "no such page"},
		"page=3":                            {404, "no such page"},
		"agent=%00":                         {400, `id="w-agent"`},
		"text=%00":                          {200, "No refusals match"},
		"project=%ff%fe":                    {200, "No refusals match"},
		"since=2026-10-12&until=2026-10-11": {400, `class="wrong"`},
		"during=%00":                        {400, `class="wrong"`},
	} {
		status, text := o.get("/refusals?" + query)
		if status != want.status || !strings.Contains(text, want.text) {
			t.Errorf("%s: status %d, want %d with %s", query, status, want.status, want.text)
		}
		if !strings.Contains(text, `<form class="range filters"`) {
			t.Errorf("%s: the form is lost", query)
		}
	}
	if _, text := o.get("/refusals?since=yesterdayy&agent=claude"); !strings.Contains(text, `value="yesterdayy"`) || !strings.Contains(text, `<option value="claude" selected>`) {
		t.Error("what was typed is lost")
	}
}

// TestARefusalsPage reads case D 16 of the sample: the agent dropped two calls because
// a call of the same message was refused.
func TestARefusalsPage(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	_, list := o.get("/refusals?text=that+is+staging")
	link := html.UnescapeString(refusalLinks.FindStringSubmatch(list)[1])
	status, text := o.get(link)
	plain := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, ""))
	for _, want := range []string{
		"0042_webhook_keys.sql", "use make db-migrate-local", "the same tool, with something else", "With it fell", "FROM rejections", "session_id = '8baf56d4-1ddb-46c3-a479-c66969c6b652'", "Copy the SQL",
		"What was said around it", "make db-migrate-local",
	} {
		if status != 200 || !strings.Contains(plain, want) {
			t.Errorf("status %d, without %s", status, want)
		}
	}
	fallen := regexp.MustCompile(`With it fell <a href="([^"]+)"`).FindStringSubmatch(text)
	if fallen == nil {
		t.Fatal("no link to what fell with it")
	}
	if status, text := o.get(html.UnescapeString(fallen[1])); status != 200 || !strings.Contains(text, "It was not refused itself") || !strings.Contains(text, link) {
		t.Errorf("what fell with it: status %d", status)
	}
	for _, path := range []string{"/refusal/claude/no-session/x", "/refusal/claude/8baf56d4-1ddb-46c3-a479-c66969c6b652/%00", link + "x"} {
		if status, _ := o.get(path); status != 404 {
			t.Errorf("%s: status %d, want 404", path, status)
		}
	}
}

func TestSearchPage(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 1.2 s of processor time")
	t.Parallel()
	o := onSample(t)
	for query, want := range map[string][]string{
		"":                                 {"200", "Looks in prompts"},
		"q=+":                              {"200", "Looks in prompts"},
		"q=that+is+STAGING":                {"200", "<mark>that is staging</mark>", "reason", "Idempotent webhook charges"},
		"q=(&regex=1":                      {"400", "missing closing"},
		"q=staging&kind=reason":            {"200", "<b>1</b> place in 1 session"},
		"q=staging&kind=nothing":           {"400", `id="w-kind"`},
		"q=migrat(e%7Cion)&regex=1":        {"200", "<mark>"},
		"q=%3Cscript%3Ealert(1)%3C/script": {"200", "Nothing has this text", "&lt;script&gt;"},
		"q=%00":                            {"200", "Nothing has this text"},
		"q=e&page=100000":                  {"404", "no such page"},
		"q=staging&agent=gemini":           {"200", "Nothing has this text"},
		"q=e":                              {"200", "of more", `rel="next"`},
	} {
		status, text := o.get("/search?" + query)
		if fmt.Sprint(status) != want[0] {
			t.Errorf("%s: status %d, want %s", query, status, want[0])
		}
		for _, w := range want[1:] {
			if !strings.Contains(text, w) {
				t.Errorf("%s: without %s", query, w)
			}
		}
		if strings.Contains(text, "<script>alert") {
			t.Errorf("%s: what was typed is HTML", query)
		}
	}
}

// TestSearchIsPaged checks that the pages together have each hit once.
func TestSearchIsPaged(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	place, lines := regexp.MustCompile(`<li><a href="([^"]+)">.*`), []string{}
	path := "/search?" + url.Values{"q": {"the"}}.Encode()
	for path != "" {
		_, text := o.get(path)
		lines = append(lines, place.FindAllString(mainPart.FindString(text), -1)...)
		path = ""
		if next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(text); next != nil {
			path = html.UnescapeString(next[1])
		}
	}
	slices.Sort(lines)
	if len(lines) < 150 || len(slices.Compact(slices.Clone(lines))) < len(lines)*9/10 {
		t.Errorf("%d places, of which %d differ", len(lines), len(slices.Compact(lines)))
	}
}

// TestOneForm checks that the form above a list of events offers the same values and
// shows the same errors as the form of the saved query.
func TestOneForm(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	told := regexp.MustCompile(`<p class="wrong" id="w-[^"]*">[^<]*</p>`)
	values := func(page, name string) []string {
		_, list, _ := strings.Cut(page, `name="`+name+`"`)
		list, _, _ = strings.Cut(list, "</div>")
		found := regexp.MustCompile(`<option value="[^"]*"`).FindAllString(list, -1)
		slices.Sort(found)
		return found
	}
	for query, names := range map[string][]string{
		"rejections": {"since", "until", "kind", "decided_by"}, "interruptions": {"since", "phase", "type"}, "compactions": {"since", "trigger"}, "clears": {"until", "trigger"},
	} {
		page := map[string]string{"rejections": "/refusals"}[query]
		if page == "" {
			page = "/" + query
		}
		for _, name := range append(names, "agent") {
			wrong := "?" + name + "=nonsense"
			_, here := o.get(page + wrong)
			_, there := o.get("/query/" + query + wrong)
			if a, b := told.FindAllString(here, -1), told.FindAllString(there, -1); len(a) != 1 || !slices.Equal(a, b) {
				t.Errorf("%s%s: %q, and the query says %q", page, wrong, a, b)
			}
			if a, b := values(here, name), values(there, name); name != "agent" && (len(a) < 3 || !slices.Equal(a, b)) {
				t.Errorf("%s: %s offers %q, and the query's page %q", page, name, a, b)
			}
		}
	}
}
