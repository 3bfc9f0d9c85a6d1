package conversation

import (
	"regexp"
	"testing"
)

func TestInJSON(t *testing.T) {
	for _, test := range []struct{ text, in string }{
		{"<img", `{"a":"<img src"}`}, {"<img", `{"a":"\u003cimg src"}`}, {"<img", `{"a":"\u003Cimg src"}`},
		{"a && b", `{"c":"a \u0026\u0026 b"}`}, {"é", `{"c":"\u00e9"}`}, {"é", `{"c":"é"}`}, {"🙂", `{"c":"\ud83d\ude42"}`},
		{"a/b", `{"p":"a\/b"}`}, {"a/b", `{"p":"a/b"}`}, {`say "x"`, `{"c":"say \"x\""}`}, {"a\nb", `{"c":"a\nb"}`},
		{`C:\dir`, `{"p":"C:\\dir"}`}, {"it's", `{"c":"it\u0027s"}`}, {"f(x)", `{"c":"f(x)"}`},
	} {
		if !regexp.MustCompile("(?i)" + inJSON(test.text)).MatchString(test.in) {
			t.Errorf("%q is not found in %s: %s", test.text, test.in, inJSON(test.text))
		}
	}
	if regexp.MustCompile(inJSON("f(x)")).MatchString(`{"c":"fx"}`) {
		t.Error("a bracket is taken for the expression's")
	}
}
