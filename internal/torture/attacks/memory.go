package attacks

func memories() [][2]string {
	return [][2]string{
		{"map_from_entries", "SELECT length(map_from_entries(list_transform(range(100000), lambda x: {'k': x, 'v': repeat('x', 50000) || x}))::VARCHAR)"},
		{"map_from_entries of rows", "SELECT sum(cardinality(map_from_entries(list_transform(range(100000), lambda x: {'k': x, 'v': x + i})))) FROM range(10000) t(i)"},
		{"TABLESAMPLE", "SELECT sum(length(a)) FROM (SELECT repeat('x', 10000) || i AS a FROM range(900000) t(i)) TABLESAMPLE reservoir(900000 ROWS)"},
		{"damerau_levenshtein", "SELECT damerau_levenshtein(repeat('ab', 50000), repeat('ba', 50000))"},
		{"a lambda's structs", "SELECT len(list_transform(range(100000), lambda x: {'a': range(50000), 'b': x}))"},
		{"from_json", `SELECT length(from_json('{}', repeat('{"a":', 5000) || '"INTEGER"' || repeat('}', 5000))::VARCHAR)`},
		{"replace", "SELECT length(replace(repeat('a', 100000), 'a', repeat('b', 50000)))"},
		{"replace by rows", "SELECT sum(length(replace(repeat('a', 10000) || i, 'a', repeat('b', 1000)))) FROM range(100000) t(i)"},
		{"a lambda's texts", "SELECT len(list_transform(range(100000), lambda x: repeat('x', 100000) || x))"},
		{"a lambda's lists", "SELECT len(list_transform(range(100000), lambda x: list_resize([x], 100000, x)))"},
		{"reduce doubles", "SELECT length(list_reduce(list_transform(range(40), lambda x: repeat('x', 10000)), lambda a, b: a || a))"},
		{"reduce doubles a list", "SELECT len(list_reduce(list_transform(range(40), lambda x: range(10000)), lambda a, b: list_concat(a, a)))"},
		{"hex of hex", "SELECT length(" + nest(16, "hex(", "repeat('x', 100000)", ")") + ")"},
		{"bin of bin", "SELECT length(" + nest(6, "bin(", "repeat('x', 100000)", ")") + ")"},
		{"repeat of repeat", "SELECT length(repeat(repeat('x', 100000), 40000))"},
		{"concat", "SELECT length(concat(" + list(10000, ", ", "x") + ")) FROM (SELECT repeat('x', 100000) || i AS x FROM range(4) t(i))"},
		{"range in each row", "SELECT sum(len(list_transform(range(100000), lambda x: x + i))) FROM range(100000) t(i)"},
		{"list_concat", "SELECT sum(len(list_concat(range(100000), [i]))) FROM range(100000) t(i)"},
		{"list_sort", "SELECT sum(len(list_sort(list_concat(range(100000), [i])))) FROM range(100000) t(i)"},
		{"list_distinct", "SELECT sum(len(list_distinct(list_concat(range(100000), [i])))) FROM range(4096) t(i)"},
		{"flatten", "SELECT sum(len(flatten([range(100000), range(100000), [i]]))) FROM range(100000) t(i)"},
		{"array_to_string", "SELECT sum(length(array_to_string(list_concat(range(100000), [i]), 'xxxxxxxxxxxxxxxxxxxx'))) FROM range(10000) t(i)"},
		{"median", "SELECT median(i) FROM range(1000000000) t(i)"},
		{"approx_top_k by group", "SELECT count(*) FROM (SELECT approx_top_k(i, 900000) AS k FROM range(1000000) t(i) GROUP BY i % 1000) WHERE len(k) > 0"},
		{"bitstring_agg", "SELECT count(*) FROM (SELECT bitstring_agg(i, 0, 999999999) AS b FROM range(1000) t(i) GROUP BY i) WHERE length(b) > 0"},
		{"json_array", "SELECT sum(length(to_json(list_concat(range(100000), [i]))::VARCHAR)) FROM range(10000) t(i)"},
		{"unnest", "SELECT count(*) FROM (SELECT unnest(list_transform(range(100000), lambda x: repeat('x', 100000) || x)) AS u) WHERE length(u) > 0"},
	}
}
