package allow

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

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

// refusedError returns the error for an unlisted function.
func refusedError(name string) error {
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

// checkSizes checks that a sized function's arguments are small constants. range and
// generate_series are unlimited as table functions, because their rows aren't kept.
func checkSizes(name string, arguments []any) error {
	first, is := sized[name]
	if !is {
		return checkFormat(name, arguments)
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

// checkFormat checks that the widths in a format are constants of at most four digits.
func checkFormat(name string, arguments []any) error {
	if name != "format" && name != "printf" || len(arguments) == 0 {
		return nil
	}
	o, _ := arguments[0].(map[string]any)
	value, _ := o["value"].(map[string]any)
	form, ok := value["value"].(string)
	if !ok || text(o["class"]) != "CONSTANT" || strings.Contains(form, "*") || nested.MatchString(strings.ReplaceAll(form, "{{", "")) || longNumber(form) {
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

// scalars are the allowed functions in expressions. Their effects end with the
// statement, and they see only their arguments: no files, settings or catalog. DuckDB's
// parser translates some signs and words into these functions.

var scalars = sync.OnceValue(func() map[string]bool { return sqltext.WordSet(operators + scalarNames + aggregateNames) })

const operators = `
	!__postfix !~~ !~~* % & && * ** + - ->> / // <-> << <=> <@ >> @ @> ^ ^@ | || ~ ~~ ~~* ~~~
`

const scalarNames = `
	abs acos acosh add age aggregate ago alias apply array_aggr array_aggregate array_append array_apply array_cat array_concat
	array_contains array_cosine_distance array_cosine_similarity array_cross_product array_distance array_distinct array_dot_product
	array_extract array_filter array_grade_up array_has array_has_all array_has_any array_indexof array_inner_product array_intersect
	array_length array_negative_dot_product array_negative_inner_product array_pop_back array_pop_front array_position array_prepend
	array_push_back array_push_front array_reduce array_resize array_reverse array_reverse_sort array_select array_slice array_sort
	array_to_json array_to_string array_to_string_comma_default array_transform array_unique array_value array_where array_zip ascii
	asin asinh atan atan2 atanh bar base64 bin bit_count bit_length bit_position bitstring can_cast_implicitly cardinality
	cast_to_type cbrt ceil ceiling century char_length character_length chr concat concat_ws contains cos cosh cot create_sort_key
	current_catalog current_connection_id current_database current_date current_localtime current_localtimestamp current_query
	current_query_id current_role current_schema current_schemas current_transaction_id current_user damerau_levenshtein date_add
	date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth dayofweek dayofyear
	days_in_month decade decode degrees divide editdist3 element_at encode ends_with enum_code enum_first enum_last enum_range
	enum_range_boundary epoch epoch_ms epoch_ns epoch_us equi_width_bins era error even exp factorial fdiv filter flatten floor fmod
	format format_bytes formatreadabledecimalsize formatreadablesize from_base64 from_binary from_hex from_json from_json_strict gamma
	gcd gen_random_uuid generate_series generate_subscripts geomean geometric_mean get_bit get_current_time get_current_timestamp
	get_type grade_up greatest greatest_common_divisor hamming hash hex hour icu_sort_key ilike_escape in_search_path instr
	is_histogram_other_bin isfinite isinf isnan isodow isoyear jaccard jaro_similarity jaro_winkler_similarity json json_array
	json_array_length json_contains json_exists json_extract json_extract_path json_extract_path_text json_extract_string
	json_group_array json_group_object json_group_structure json_keys json_merge_patch json_object json_pretty json_quote
	json_structure json_transform json_transform_strict json_type json_valid json_value julian last_day lcase lcm least
	least_common_multiple left left_grapheme len length length_grapheme levenshtein lgamma like_escape list_aggr list_aggregate
	list_any_value list_append list_apply list_approx_count_distinct list_avg list_bit_and list_bit_or list_bit_xor list_bool_and
	list_bool_or list_cat list_concat list_contains list_cosine_distance list_cosine_similarity list_count list_distance list_distinct
	list_dot_product list_element list_entropy list_extract list_filter list_first list_grade_up list_has list_has_all list_has_any
	list_histogram list_indexof list_inner_product list_intersect list_kurtosis list_kurtosis_pop list_last list_mad list_max
	list_median list_min list_mode list_negative_dot_product list_negative_inner_product list_pack list_position list_prepend
	list_product list_reduce list_resize list_reverse list_reverse_sort list_select list_sem list_skewness list_slice list_sort
	list_stddev_pop list_stddev_samp list_string_agg list_sum list_transform list_unique list_value list_var_pop list_var_samp
	list_where list_zip ln log log10 log2 lower lpad ltrim make_date make_time make_timestamp make_timestamp_ms make_timestamp_ns
	make_timestamptz make_type map map_concat map_contains map_contains_entry map_contains_value map_entries map_extract
	map_extract_value map_from_entries map_keys map_values md5 md5_number md5_number_lower md5_number_upper microsecond millennium
	millisecond minute mismatches mod month monthname multiply nanosecond nextafter nfc_normalize normalized_interval not_ilike_escape
	not_like_escape now nullif octet_length ord parse_dirname parse_dirpath parse_filename parse_formatted_bytes parse_path
	pg_size_pretty pg_typeof pi position pow power prefix printf quarter radians random range reduce regexp_escape regexp_extract
	regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table remap_struct repeat
	replace replace_type reverse right right_grapheme round round_even roundbankers row row_to_json rpad rtrim second session_user
	set_bit sha1 sha256 sign signbit sin sinh split split_part sqrt st_asbinary st_astext st_aswkb st_aswkt st_crs st_geomfromwkb
	st_intersects_extent st_setcrs starts_with str_split str_split_regex strftime string_split string_split_regex string_to_array
	strip_accents strlen strpos strptime struct_concat struct_contains struct_extract struct_extract_at struct_has struct_indexof
	struct_insert struct_keys struct_pack struct_position struct_update struct_values substr substring substring_grapheme subtract
	suffix switch tan tanh time_bucket timetz_byte_comparable timezone timezone_hour timezone_minute to_base to_base64 to_binary
	to_centuries to_days to_decades to_hex to_hours to_json to_microseconds to_millennia to_milliseconds to_minutes to_months
	to_quarters to_seconds to_timestamp to_weeks to_years today transaction_timestamp translate trim trunc try_strptime txid_current
	typeof ucase unnest unbin unhex unicode union_extract union_tag union_value unpivot_list upper url_decode url_encode user uuid
	uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7 variant_extract variant_typeof version wavg week weekday weekofyear
	weighted_avg xor year yearweek
`

// aggregateNames are the names of aggregates and window functions.
const aggregateNames = `
	any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last arg_min
	arg_min_null arg_min_nulls_last argmax argmin array_agg avg bit_and bit_or bit_xor bitstring_agg bool_and bool_or corr count
	count_if count_star countif covar_pop covar_samp cume_dist dense_rank entropy favg fill first first_value fsum group_concat
	histogram histogram_exact kahan_sum kurtosis kurtosis_pop lag last last_value lead list listagg mad max max_by mean median min
	min_by mode nth_value ntile percent_rank product quantile quantile_cont quantile_disc rank rank_dense regr_avgx regr_avgy
	regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy reservoir_quantile row_number sem skewness stddev
	stddev_pop stddev_samp string_agg sum sum_no_overflow sumkahan var_pop var_samp variance
`

// tableFunctions are the allowed functions that return rows. A safe store may reveal
// all names listed by functions that begin with duckdb_.
var tableFunctions = sync.OnceValue(func() map[string]bool {
	return sqltext.WordSet(`duckdb_columns duckdb_constraints duckdb_coordinate_systems duckdb_databases duckdb_functions duckdb_indexes duckdb_keywords duckdb_schemas duckdb_sequences duckdb_tables duckdb_types duckdb_views generate_series icu_calendar_names json_each json_tree pg_timezone_names pragma_collations pragma_platform pragma_version range repeat unnest`)
})

// catalogViews are DuckDB's own tables.
var catalogViews = sync.OnceValue(func() map[string]bool {
	return sqltext.WordSet(`duckdb_columns duckdb_tables duckdb_types duckdb_views duckdb_schemas
		information_schema.columns information_schema.schemata information_schema.tables`)
})

// expressions are the allowed kinds of expressions, from
// src/include/duckdb/common/enums/expression_type.hpp in duckdb/duckdb.
var expressions = sync.OnceValue(func() map[string]bool {
	return sqltext.WordSet(`BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT DEFAULT FUNCTION LAMBDA LAMBDA_REF OPERATOR
		PARAMETER POSITIONAL_REFERENCE STAR SUBQUERY WINDOW`)
})

// kinds are the allowed kinds of queries, table references and result modifiers, from
// query_node.hpp, tableref_type.hpp and result_modifier.hpp in the same folder.
var kinds = sync.OnceValue(func() map[string]bool {
	return sqltext.WordSet(`SELECT_NODE SET_OPERATION_NODE RECURSIVE_CTE_NODE BASE_TABLE COLUMN_DATA EMPTY EXPRESSION_LIST JOIN PIVOT
		SHOW_REF SUBQUERY TABLE_FUNCTION DISTINCT_MODIFIER LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER ORDER_MODIFIER ASCENDING DESCENDING
		ORDER_DEFAULT`)
})
