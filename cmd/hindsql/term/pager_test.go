package term

import "testing"

func TestPagerOf(t *testing.T) {
	for _, test := range []struct {
		vars map[string]string
		want Pager
	}{
		{nil, Pager{"less -SRFX", "SRFX", false}},
		{map[string]string{"PAGER": "more", "LESS": "R"}, Pager{"more", "R", true}},
		{map[string]string{"PAGER": "bat", "HINDSQL_PAGER": "less -S"}, Pager{"less -S", "SRFX", false}},
		{map[string]string{"PAGER": ""}, Pager{"", "SRFX", false}},
		{map[string]string{"PAGER": "more", "HINDSQL_PAGER": ""}, Pager{"", "SRFX", false}},
		{map[string]string{"PAGER": " cat "}, Pager{"", "SRFX", false}},
		{map[string]string{"PAGER": "more", "TERM": "dumb"}, Pager{"", "SRFX", false}},
	} {
		got := PagerOf(func(name string) (string, bool) { value, ok := test.vars[name]; return value, ok })
		if got != test.want {
			t.Errorf("%v: %+v, want %+v", test.vars, got, test.want)
		}
	}
}

// TestSideways: which pagers, and with which options, scroll to the right of the
// screen.
func TestSideways(t *testing.T) {
	for _, test := range []struct {
		pager Pager
		want  bool
	}{
		{Pager{Command: "less", Less: "SRFX"}, true},
		{Pager{Command: "less -R", Less: "R"}, false},
		{Pager{Command: "/usr/bin/less -iRS"}, true},
		{Pager{Command: "less --chop-long-lines"}, true},
		{Pager{Command: "more", Less: "SRFX"}, false},
		{Pager{Command: "bat -S"}, false},
		{Pager{Command: "pspg"}, true},
	} {
		if got := test.pager.scrolls(); got != test.want {
			t.Errorf("%+v: %v", test.pager, got)
		}
	}
}
