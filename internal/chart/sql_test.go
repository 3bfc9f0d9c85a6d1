package chart

import (
	"fmt"
	"testing"
)

func TestSumsOfSQL(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT timestamp::DATE AS day, count(*) FROM messages GROUP BY ALL":                                          "[1]",
		"FROM messages SELECT local_day(timestamp), agent, sum(output_tokens)::BIGINT AS n, avg(x) GROUP BY ALL":      "[2]",
		"WITH a AS (SELECT max(x) FROM b) SELECT day, round(sum(ms) FILTER (ms > 0) / 1000, 1) s FROM a GROUP BY day": "[1]",
		"SELECT day, coalesce(sum(n), 0)::BIGINT, max(n) FROM a GROUP BY ALL ORDER BY day DESC LIMIT 90;":             "[1]",
		"SELECT day, count(*) AS n FROM a GROUP BY 1 ORDER BY 1 LIMIT 90":                                             "[1]",
		"SELECT day, count(*) AS n FROM a GROUP BY 1 ORDER BY n DESC LIMIT 10":                                        "[]",
		"SELECT day, count(*) AS n FROM a GROUP BY 1 LIMIT 10":                                                        "[]",
		"SELECT day, count(*) AS n FROM a GROUP BY 1 HAVING n > 5":                                                    "[]",
		"SELECT day, count(DISTINCT session_id) FROM a GROUP BY 1":                                                    "[]",
		"SELECT day, sum(n) OVER (ORDER BY day) FROM a":                                                               "[]",
		"SELECT day, sum(a) / count(*), sum(a) / 2 + max(b), median(c) FROM a GROUP BY 1":                             "[]",
		"SELECT *, count(*) FROM a GROUP BY ALL":                                                                      "[]",
		"SELECT day, sum(n) FROM a GROUP BY ROLLUP (day)":                                                             "[]",
		"SELECT day, sum(n) FROM (FROM a LIMIT 5) GROUP BY 1":                                                         "[]",
		"SELECT 1, count(*); SELECT 2, count(*)":                                                                      "[]",
		"SELECT 'sum(x)', counted FROM a":                                                                             "[]",
	} {
		d := OfSQL(sql)
		if d == nil {
			d = &Declaration{}
		}
		if got := fmt.Sprint(d.Sums); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

func TestDeclarationInSQL(t *testing.T) {
	d := OfSQL("-- tokens\n-- chart line label=day value=n:count\nSELECT day, n FROM x")
	if d == nil || d.Value != "n" || !d.Count {
		t.Errorf("the declaration above the statement is %v", d)
	}
	if d := OfSQL("SELECT day, n FROM x\n-- chart bar label=day value=n"); d == nil || d.Kind != Bar {
		t.Errorf("the declaration below the statement is %v", d)
	}
	if d := OfSQL("-- chart of days\nSELECT day, '-- chart bar label=day value=n' FROM x"); d != nil {
		t.Errorf("a comment that declares nothing is %v", d)
	}
	if d := OfSQL("-- chart line label=day\nSELECT 1"); d == nil || d.Wrong == nil {
		t.Errorf("an incomplete declaration is %v", d)
	}
}
