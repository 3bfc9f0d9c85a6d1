package show

import "testing"

func TestPagerOf(t *testing.T) {
	for _, test := range []struct {
		vars map[string]string
		want Pager
	}{
		{nil, Pager{"less -SRFX", "SRFX"}},
		{map[string]string{"PAGER": "more", "LESS": "R"}, Pager{"more", ""}},
		{map[string]string{"PAGER": "bat", "HINDSQL_PAGER": "less -S"}, Pager{"less -S", "SRFX"}},
		{map[string]string{"PAGER": ""}, Pager{"", "SRFX"}},
		{map[string]string{"PAGER": "more", "HINDSQL_PAGER": ""}, Pager{"", "SRFX"}},
		{map[string]string{"PAGER": " cat "}, Pager{"", "SRFX"}},
		{map[string]string{"PAGER": "more", "TERM": "dumb"}, Pager{"", "SRFX"}},
	} {
		got := PagerOf(func(name string) (string, bool) { value, ok := test.vars[name]; return value, ok })
		if got != test.want {
			t.Errorf("%v: %+v, want %+v", test.vars, got, test.want)
		}
	}
}
