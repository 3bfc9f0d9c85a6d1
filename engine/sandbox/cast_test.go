package sandbox

import (
	"strings"
	"testing"
)

// TestCast: the type's name decides whether a value is cast.
func TestCast(t *testing.T) {
	for duckType, want := range map[string][3]string{ // for Cells, for Arrow, for the driver
		"BIGINT":                               {"x", "x", "x"},
		"UHUGEINT":                             {"CAST(x AS VARCHAR)", "CAST(x AS VARCHAR)", "x"},
		"JSON":                                 {"CAST(x AS VARCHAR)", "x", "CAST(x AS VARCHAR)"},
		"STRUCT(a UHUGEINT, b INT)[]":          {`CAST(x AS STRUCT("a" VARCHAR, "b" INT)[])`, `CAST(x AS STRUCT("a" VARCHAR, "b" INT)[])`, "x"},
		"STRUCT(INTEGER, TIME WITH TIME ZONE)": {"CAST(x AS VARCHAR)", "CAST(x AS VARCHAR)", "CAST(x AS VARCHAR)"},
		"MAP(UUID, BIT[3])":                    {"CAST(x AS MAP(VARCHAR, VARCHAR[3]))", "CAST(x AS MAP(UUID, VARCHAR[3]))", "CAST(x AS MAP(VARCHAR, BIT[3]))"},
		`UNION("null" INTEGER, "a b" ENUM('x)', 'y'''))`: {`CAST(x AS UNION("null_" BOOLEAN, "null" INTEGER, "a b" VARCHAR))`, `CAST(x AS UNION("null" INTEGER, "a b" VARCHAR))`, "x"},
		`STRUCT("JSON" INTEGER, "q""r, )" VARCHAR)`:      {"x", "x", "x"},
		"GEOMETRY('OGC:CRS84')":                          {"CAST(x AS GEOMETRY)", "CAST(x AS GEOMETRY)", "CAST(x AS GEOMETRY)"},
		`"my type"`:                                      {"x", "x", "x"},
		"STRUCT(a INTEGER":                               {"x", "x", "x"},
		"ENUM('a":                                        {"x", "x", "x"},
		"INTEGER) --":                                    {"x", "x", "x"},
		"":                                               {"x", "x", "x"},
		strings.Repeat("STRUCT(a ", 5000):                {"x", "x", "x"},
	} {
		got := [3]string{Cast("x", duckType), CastForArrow("x", duckType), CastForDriver("x", duckType)}
		if got != want {
			t.Errorf("%.100s:\n got %v\nwant %v", duckType, got, want)
		}
	}
}

// TestCastFromArrow: only type texts that DuckDB writes get into SQL.
func TestCastFromArrow(t *testing.T) {
	for duckType, want := range map[string]string{
		"STRUCT(a UHUGEINT, b ENUM('x'), c JSON)": `CAST(x AS STRUCT("a" UHUGEINT, "b" VARCHAR, "c" VARCHAR))`,
		"BIT[]":                        "CAST(x AS BIT[])",
		"DECIMAL(18,3)":                "CAST(x AS DECIMAL(18,3))",
		"STRUCT(INTEGER, INTEGER)":     "CAST(x AS VARCHAR)",
		"DECIMAL((SELECT 1),2)":        "x",
		"DECIMAL(SELECT 1)":            "x",
		"INTEGER[1 + 1]":               "x",
		`STRUCT("a"" INTEGER)" BIT)`:   `CAST(x AS STRUCT("a"" INTEGER)" BIT))`,
		"INTEGER; DROP TABLE x":        "x",
		"INTEGER); DROP TABLE x; --[]": "x",
	} {
		if got := CastFromArrow("x", duckType); got != want {
			t.Errorf("%s: %s, want %s", duckType, got, want)
		}
	}
}
