package torture_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hindsql/internal/whole"
)

// TestFunctions calls DuckDB's functions with arguments that no sane caller gives, at
// mcp over HTTP. After each call another client's question must be answered, and no
// answer may show DuckDB's stack or an address. DuckDB lists the functions, so the
// functions of a newer DuckDB are called, too. If $HINDSQL_TORTURE is set, all calls are
// made, otherwise as many as fit processorTime, chosen by the seed. $HINDSQL_FUNCTIONS
// is a pattern for the statements.
func TestFunctions(t *testing.T) {
	whole.Test(t, "calls DuckDB's functions for a minute of processor time")
	if runtime.GOOS != "linux" {
		t.Skip("the processor time of processes is read as Linux tells it")
	}
	_, chance := share(t)
	w := newWorld(t, chance)
	w.succeed("sync")
	f := &fools{world: w, running: openHTTP(w, "--no-sync"), refused: map[string]bool{}, ends: map[string]int{}}
	count := w.succeed("--no-sync", "--format", "csv", "SELECT count(*) FROM rejections")
	f.count = `| ` + strings.Fields(count)[1] + ` |`
	all := w.calls()
	chance.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	form := regexp.MustCompile(os.Getenv("HINDSQL_FUNCTIONS"))
	all = slices.DeleteFunc(all, func(c foolish) bool { return !form.MatchString(c.sql) })
	names, made := map[string]bool{}, 0
	for _, c := range all {
		if os.Getenv("HINDSQL_TORTURE") == "" && processorTime(t, f.cmd.Process.Pid) > mostFoolish {
			break
		}
		if !f.refused[c.name] && f.try(t, c) {
			names[c.name] = true
			made++
		}
	}
	if len(all) > 0 && made == 0 {
		t.Errorf("none of %d calls was allowed", len(all))
	}
	done.add("calls of functions", made)
	t.Logf("seed %d: %d of %d calls, of %d functions; answers by kind: %v", seed, made, len(all), len(names), f.ends)
}

// mostFoolish is the processor time of TestFunctions' program.
const mostFoolish = time.Minute

// fools ask foolish questions.
type fools struct {
	*world
	*running
	count   string          // the answer to the other client's question
	refused map[string]bool // functions that aren't on the allow list
	ends    map[string]int  // answers by their kind
}

// answerKinds are the kinds of answers; the first match counts.
var answerKinds = []struct {
	name string
	form *regexp.Regexp
}{
	{"refused", regexp.MustCompile(`\(\): (?:it|they|no function|the|this)\b|no table that is here`)},
	{"worker ended", regexp.MustCompile(`crashed DuckDB`)},
	{"limit of memory", regexp.MustCompile(`at the limit of memory`)},
	{"limit of time", regexp.MustCompile(`at the limit of time`)},
	{"other limit", regexp.MustCompile(`at the limit of`)},
	{"error", regexp.MustCompile(`"isError":true`)},
	{"rows", regexp.MustCompile(``)},
}

// leaks are in no answer: DuckDB's stack, addresses, libraries, the worker's name,
// failures of DuckDB as such, and the advice for damaged stores.
var leaks = regexp.MustCompile(`(?i)stack trace|\[0x[0-9a-f]+\]|libc|hindsql-worker|invalidated|internal error|fatal error|sync --full|panic|goroutine`)

// try makes a call, and then asks as another client. It reports whether the call was
// allowed.
func (f *fools) try(t *testing.T, c foolish) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*mostTries)
	defer cancel()
	begin := time.Now()
	got, err := f.ask(ctx, c.sql)
	took := time.Since(begin)
	if err != nil {
		t.Errorf("seed %d: %s: %v %s", seed, c.sql, err, tail(got))
	}
	kind := ""
	for _, k := range answerKinds {
		if kind == "" && k.form.MatchString(got) {
			kind = k.name
		}
	}
	f.ends[kind]++
	if kind == "refused" {
		f.refused[c.name] = true
		return false
	}
	if kind == "worker ended" || kind == "limit of memory" || took > 5*time.Second {
		t.Logf("%.1f s, %s: %s", took.Seconds(), kind, c.sql)
	}
	if took > mostTime {
		t.Errorf("seed %d: %s: answered after %v", seed, c.sql, took)
	}
	if leak := leaks.FindString(strings.ReplaceAll(got, c.sql, "")); leak != "" {
		t.Errorf("seed %d: %s: %q in %s", seed, c.sql, leak, tail(got))
	}
	if got, err := f.ask(ctx, "SELECT count(*) FROM rejections"); err != nil || !strings.Contains(got, f.count) {
		t.Errorf("seed %d: after %s: %v %s", seed, c.sql, err, tail(got))
	}
	return true
}

// foolish is a call of a function.
type foolish struct{ name, sql string }

// wild are the arguments in place of a number.
var wild = []string{"9223372036854775807", "-9223372036854775808", "2000000000", "-1", "170141183460469231731687303715884105727", "1e300", "'nan'::DOUBLE", "NULL", "'x'", "[1]"}

// plain are usual arguments by type. A type that isn't here gets NULL.
var plain = map[string]string{
	"VARCHAR": "'a1'", "BOOLEAN": "true", "DATE": "DATE '2026-01-02'", "TIME": "TIME '01:02:03'", "TIMESTAMP": "TIMESTAMP '2026-01-02 03:04:05'",
	"TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ '2026-01-02 03:04:05+00'", "TIMESTAMP_NS": "'2026-01-02 03:04:05'::TIMESTAMP_NS", "TIME WITH TIME ZONE": "'01:02:03+00'::TIMETZ",
	"INTERVAL": "INTERVAL '1 day'", "BLOB": "'ab'::BLOB", "BIT": "'101'::BIT", "UUID": "'00000000-0000-0000-0000-000000000001'::UUID", "JSON": `'{"a":[1]}'::JSON`,
	"ANY": "1", "T": "1", "K": "'a'", "V": "1", "ANY[]": "[1, 2, 3]", "T[]": "[1, 2, 3]", "T[][]": "[[1, 2], [3]]", "K[]": "['a']", "V[]": "[1]",
	"VARCHAR[]": "['a', 'b']", "DOUBLE[]": "[1.5, 2.5]", "FLOAT[]": "[1.5, 2.5]", "BIGINT[]": "[1, 2]", "BOOLEAN[]": "[true, false]",
	"FLOAT[ANY]": "[1, 2, 3]::FLOAT[3]", "DOUBLE[ANY]": "[1, 2, 3]::DOUBLE[3]", "FLOAT[3]": "[1, 2, 3]::FLOAT[3]", "DOUBLE[3]": "[1, 2, 3]::DOUBLE[3]",
	"MAP(K, V)": "MAP {'a': 1}", "STRUCT(K, V)[]": "[{'k': 'a', 'v': 1}]", "STRUCT": "{'a': 1}", "UNION": "union_value(a := 1)", "LAMBDA": "lambda x: x",
	"GEOMETRY": "'POINT(1 1)'::GEOMETRY", "VARIANT": "1::VARIANT", "TIME_NS": "'01:02:03'::TIME_NS", "BIGNUM": "'12'::BIGNUM",
}

var numbers = regexp.MustCompile(`^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL|BIGNUM|ANY|T|)$`)

// calls returns a call of each function with each wild argument in place of each number,
// and each aggregate once over many groups.
func (w *world) calls() (list []foolish) {
	w.t.Helper()
	const query = `SELECT DISTINCT function_name AS name, function_type AS type, parameter_types AS types, coalesce(varargs, '') AS more
		FROM duckdb_functions() WHERE function_type NOT IN ('pragma') ORDER BY ALL`
	var functions []struct {
		Name, Type, More string
		Types            []string
	}
	if err := json.Unmarshal([]byte(w.succeed("--no-sync", "--format", "json", query)), &functions); err != nil {
		w.t.Fatal(err)
	}
	grouped := map[string]bool{}
	for _, f := range functions {
		types := f.Types
		if f.More != "" {
			types = append(types, f.More)
		}
		name := `"` + strings.ReplaceAll(f.Name, `"`, `""`) + `"`
		arguments := make([]string, len(types))
		for i, of := range types {
			if arguments[i] = plain[of]; of == "DOUBLE" || of == "FLOAT" {
				arguments[i] = "0.5" // in the range of quantiles, too
			} else if numbers.MatchString(of) {
				arguments[i] = "2"
			} else if arguments[i] == "" {
				arguments[i] = "NULL"
			}
		}
		calls := []string{name + "(" + strings.Join(arguments, ", ") + ")"}
		for i, of := range types {
			if numbers.MatchString(of) {
				for _, argument := range wild {
					changed := slices.Clone(arguments)
					changed[i] = argument
					calls = append(calls, name+"("+strings.Join(changed, ", ")+")")
				}
			}
		}
		for _, call := range calls {
			switch f.Type {
			case "table", "table_macro":
				list = append(list, foolish{f.Name, "SELECT count(*) FROM " + call})
			case "aggregate":
				if len(arguments) > 0 {
					call = strings.Replace(call, "("+arguments[0], "(if(i >= 0, "+arguments[0]+", NULL)", 1) // not a constant
				}
				list = append(list, foolish{f.Name, "SELECT " + call + " FROM range(10) t(i)"}, foolish{f.Name, "SELECT " + call + " OVER (ORDER BY i) FROM range(10) t(i)"})
			default:
				list = append(list, foolish{f.Name, "SELECT " + call})
			}
		}
		if f.Type == "aggregate" && len(arguments) > 0 && !grouped[f.Name] {
			grouped[f.Name] = true
			list = append(list, foolish{f.Name, "SELECT count(x) FROM (SELECT " + calls[0] + " AS x FROM range(400000) t(i) GROUP BY i)"})
		}
	}
	return list
}

// processorTime returns the processor time of a process and of its children.
func processorTime(t *testing.T, id int) (total time.Duration) {
	t.Helper()
	add := func(id int, fields ...int) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
		if err != nil {
			return // ended since
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		for _, i := range fields {
			ticks, _ := strconv.Atoi(strings.Fields(rest)[i])
			total += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	add(id, 11, 12, 13, 14) // its own, and of children that ended
	for child, p := range processes() {
		if p.parent == id {
			add(child, 11, 12)
		}
	}
	return total
}
