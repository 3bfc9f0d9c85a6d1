package allow

import (
	"fmt"
	"strconv"
	"strings"

	"hindsql/internal/pattern"
	"hindsql/internal/sqltext"
)

// collations is the prefix of a hundred functions for a language's order of texts.
const collations = "icu_collate_"

// refusals are DuckDB's refused functions, grouped by reason.
var refusals = []struct{ why, names string }{
	{"reads files", `glob parquet_bloom_probe parquet_file_metadata parquet_full_metadata parquet_kv_metadata parquet_metadata
		parquet_scan parquet_schema read_blob read_csv read_csv_auto read_duckdb read_json read_json_auto read_json_objects
		read_json_objects_auto read_ndjson read_ndjson_auto read_ndjson_objects read_parquet read_text sniff_csv`},
	{"reads memory at an address", "arrow_scan arrow_scan_dumb pandas_scan python_map_function combine finalize"},
	{"runs SQL that nobody looked at", `query query_table json_execute_serialized_sql json_serialize_plan json_deserialize_sql json_serialize_sql sql_auto_complete
		histogram histogram_values summary`},
	{"changes what others see, or waits", `checkpoint force_checkpoint disable_logging enable_logging disable_profiling enable_profiling
		truncate_duckdb_logs enable_peg_parser disable_peg_parser check_peg_parser write_log setseed sleep_ms pg_sleep nextval currval`},
	{"shows settings, or what others do", `current_setting duckdb_settings duckdb_secrets duckdb_secret_types which_secret duckdb_variables getvariable
		duckdb_logs duckdb_log_contexts duckdb_logs_parsed parse_duckdb_log_message duckdb_profiling_settings duckdb_prepared_statements
		duckdb_connection_count duckdb_external_file_cache duckdb_temporary_files duckdb_memory duckdb_extensions duckdb_optimizers
		duckdb_approx_database_count duckdb_dependencies pragma_user_agent`},
	{"shows how DuckDB stores rows, and names its table by a text", `pragma_metadata_info pragma_show pragma_storage_info pragma_table_info
		pragma_database_size duckdb_table_sample seq_scan stats vector_type`},
	{"is for tests of DuckDB", "test_all_types test_vector_types repeat_row"},
	{"is DuckDB's own, inside", `__internal_compress_integral_ubigint __internal_compress_integral_uinteger __internal_compress_integral_usmallint
		__internal_compress_integral_utinyint __internal_compress_string_hugeint __internal_compress_string_ubigint
		__internal_compress_string_uhugeint __internal_compress_string_uinteger __internal_compress_string_usmallint
		__internal_compress_string_utinyint __internal_decompress_integral_bigint __internal_decompress_integral_hugeint
		__internal_decompress_integral_integer __internal_decompress_integral_smallint __internal_decompress_integral_ubigint
		__internal_decompress_integral_uhugeint __internal_decompress_integral_uinteger __internal_decompress_integral_usmallint
		__internal_decompress_string constant_or_null variant_bytes_to_variant variant_normalize variant_to_parquet_variant`},
	{"is for clients of PostgreSQL", `col_description format_pg_type format_type get_block_size has_any_column_privilege has_column_privilege
		has_database_privilege has_foreign_data_wrapper_privilege has_function_privilege has_language_privilege has_schema_privilege
		has_sequence_privilege has_server_privilege has_table_privilege has_tablespace_privilege inet_client_addr inet_client_port
		inet_server_addr inet_server_port map_to_pg_oid obj_description pg_collation_is_visible pg_conf_load_time
		pg_conversion_is_visible pg_function_is_visible pg_get_constraintdef pg_get_expr pg_get_viewdef pg_has_role
		pg_is_other_temp_schema pg_my_temp_schema pg_opclass_is_visible pg_operator_is_visible pg_opfamily_is_visible
		pg_postmaster_start_time pg_table_is_visible pg_ts_config_is_visible pg_ts_dict_is_visible pg_ts_parser_is_visible
		pg_ts_template_is_visible pg_type_is_visible shobj_description`},
	{"is hindsql's own, inside", "log_line report_journal unified_diff hindsql_redact"},
}

// refusal returns the error for an unlisted function.
func refusal(name string) error {
	if why := reason(name); why != "" {
		return &Refused{What: name + "()", Why: "it " + why}
	}
	return &Refused{What: name + "()", Why: "no function that is known here"}
}

// reason returns the reason for refusing a function, empty if the function is unknown.
func reason(name string) string {
	for _, r := range refusals {
		if sqltext.WordSet(r.names)[name] {
			return r.why
		}
	}
	return ""
}

// largest is the largest argument allowed for the size of a value, because DuckDB's
// memory limit doesn't apply to a single value.
const largest = 100_000

// sized maps functions with size arguments to the position of the first size.
var sized = map[string]int{
	"repeat": 1, "lpad": 1, "rpad": 1, "list_resize": 1, "array_resize": 1, "bitstring": 1, "range": 0, "generate_series": 0,
}

// sizes checks that a sized function's arguments are small constants. range and
// generate_series are unlimited as table functions, because their rows aren't kept.
func sizes(name string, arguments []any) error {
	first, is := sized[name]
	if !is {
		return format(name, arguments)
	}
	for i := first; i < len(arguments) && i < first+3; i++ {
		if first > 0 && i > first {
			break
		}
		if n, ok := number(arguments[i]); !ok || n > largest || n < -largest {
			hint := "write the number"
			switch {
			case first == 0:
				hint = "as a table it is fine: FROM " + name + "(…)"
			case name == "repeat":
				hint = "bar() draws bars"
			}
			return &Refused{What: name + "()", Why: fmt.Sprintf("how large it becomes has to be a number up to %d", largest), Hint: hint}
		}
	}
	return nil
}

// number returns the value of a constant.
func number(expression any) (float64, bool) {
	o, _ := expression.(map[string]any)
	if text(o["class"]) == "FUNCTION" && text(o["function_name"]) == "-" {
		if inner, _ := o["children"].([]any); len(inner) == 1 {
			return number(inner[0])
		}
	}
	value, _ := o["value"].(map[string]any)
	n, ok := value["value"].(float64)
	return n, ok && text(o["class"]) == "CONSTANT"
}

// format checks that the widths in a format are constants of at most four digits.
func format(name string, arguments []any) error {
	if name != "format" && name != "printf" || len(arguments) == 0 {
		return nil
	}
	o, _ := arguments[0].(map[string]any)
	value, _ := o["value"].(map[string]any)
	pattern, ok := value["value"].(string)
	if !ok || text(o["class"]) != "CONSTANT" || strings.Contains(pattern, "*") || nested.MatchString(strings.ReplaceAll(pattern, "{{", "")) || longNumber(pattern) {
		return &Refused{What: name + "()", Why: "its format has to be a text with widths of four digits at most"}
	}
	return nil
}

// nested matches a width given by an argument.
var nested = pattern.Lazy(`\{[^}]*\{`)

func longNumber(s string) bool {
	for _, digits := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(digits); err != nil || n > 9999 {
			return true
		}
	}
	return false
}

// Known reports whether a function is on a list. why is the reason if the function is
// refused. As a table function, the same name means another function.
func Known(name string, asTable bool) (why string, known bool) {
	name = strings.ToLower(name)
	allowed := scalars()[name] || strings.HasPrefix(name, collations)
	if asTable {
		allowed = tableFunctions()[name]
	}
	if allowed {
		return "", true
	}
	why = reason(name)
	return why, why != ""
}
