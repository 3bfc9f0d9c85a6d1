package words_test

import (
	"math"
	"testing"
	"time"

	"hindsql/internal/words"
)

func TestAmount(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "999": "999", "2817": "2,817", "-2817": "-2,817", "-999": "-999", "594790417": "594,790,417", "1000000": "1,000,000",
		"0.0": "0.0", "188.0": "188.0", "1234.5": "1,234.5", "12.333333333333334": "12.33", "-12.999": "-13.00", "999.999": "1,000.00", "82.60": "82.60",
		"0.5": "0.5", "0.123456": "0.123", "0.000412345": "0.000412", "0.9999": "1.000", "0.0000": "0.00", "-0.123456": "-0.123",
		"12345678901234567890.987654321": "12,345,678,901,234,567,890.99",
		"nan":                            "nan", "-inf": "-inf", "1e+20": "1e+20", "1.5e-7": "1.5e-7", "": "", "-": "-", "NULL": "NULL", "1.2.3": "1.2.3", "2026-10-12": "2026-10-12", "1.": "1.", ".5": ".5",
	} {
		if got := words.Amount(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for f, want := range map[float64]string{0: "0", 2817: "2,817", -0.0001: "-0.0001", 1e15: "1e+15", 1.0 / 3: "0.333", 2.0 / 3 * 1e6: "666,666.67", 1e-9: "1e-09", math.Inf(-1): "-Inf"} {
		if got := words.Number(f); got != want {
			t.Errorf("%v: %q, want %q", f, got, want)
		}
	}
	if got := words.Number(math.NaN()); got != "NaN" {
		t.Errorf("not a number: %q", got)
	}
}

func TestQuantities(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{words.Dollars(1234.5), "$1,234.50"}, {words.Dollars(0), "$0.00"},
		{words.Digits("1234567.000125"), "1,234,567.000125"}, {words.Digits("-12"), "-12"}, {words.Digits("inf"), "inf"},
		{words.Quantity(1, "row"), "1 row"}, {words.Quantity(0, "row"), "0 rows"}, {words.Quantity(int64(1234567), "row"), "1,234,567 rows"},
		{words.Size(0), "0 B"}, {words.Size(999), "999 B"}, {words.Size(1000), "1 kB"}, {words.Size(999_949), "999.9 kB"}, {words.Size(999_950), "1 MB"}, {words.Size(211_000_000), "211 MB"},
		{words.Size(math.MaxInt64), "9,223.4 PB"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0 s", 0.00001: "1 ms", 0.34: "340 ms", 0.9996: "1 s", 1.5: "1.5 s", 9.96: "10 s", 12: "12 s", 59.4: "59 s", 59.6: "1 min", 60: "1 min", 200: "3 min 20 s",
		3590: "59 min 50 s", 3600: "1 h", 7500: "2 h 5 min", 84600: "23 h 30 min", 86400: "1 d", 4*86400 + 3*3600: "4 d 3 h", 4000 * 86400: "4,000 d", -90: "-1 min 30 s", 1e16: "1e+16 s",
	} {
		if got := words.Seconds(seconds); got != want {
			t.Errorf("%v: %s, want %s", seconds, got, want)
		}
	}
	if got := words.Duration(90 * time.Second); got != "1 min 30 s" {
		t.Errorf("a duration: %s", got)
	}
	for text, want := range map[string]string{"3 days 02:05:00": "3 days 2 h 5 min", "00:00:01.5": "1.5 s", "-00:01:00": "-1 min", "2 years": "2 years", "1 day": "1 day"} {
		if got := words.Interval(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for unit, want := range map[string]float64{"ms": 1e-3, "sec": 1, "min": 60, "hours": 3600, "tokens": 0, "": 0} {
		if got := words.UnitSeconds(unit); got != want {
			t.Errorf("%q: %v seconds, want %v", unit, got, want)
		}
	}
}
