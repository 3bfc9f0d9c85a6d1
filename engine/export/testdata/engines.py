"""Reads the tables of an export with one engine: engines.py ENGINE FOLDER

Standard input has, as JSON, the kind of each column: text, moment, boolean, list or
number. Prints, as JSON, the rows of each table, and of each column how many values are
not null (null: the engine has no such thing) and a sum of them: of numbers their own, of texts their bytes, of lists
their lengths, of moments their seconds since 1970, of booleans those that are
true. TestEnginesRead compares it with what hindsql counts.
"""
import json
import os
import sys


def place(folder, table):
    """The file of a table, or all files below its folder."""
    file = os.path.join(folder, table + ".parquet")
    return file if os.path.exists(file) else os.path.join(folder, table)


def pattern(path):
    return path if path.endswith(".parquet") else path + "/**/*.parquet"


def by_sql(run, source, columns, words):
    sums = ["count(*)"]
    for name, kind in columns.items():
        sums += [words.get("count " + kind, "count({})").format(name), words[kind].format(name)]
    return run(f"SELECT {', '.join(sums)} FROM {source}")


def duckdb(path, columns):
    import duckdb as engine
    words = {"text": "sum(strlen({}))", "moment": "sum(epoch_ms({}) // 1000)", "boolean": "count(*) FILTER ({})", "list": "sum(len({}))", "number": "sum({})"}
    return by_sql(lambda q: engine.sql(q).fetchall()[0], f"'{pattern(path)}'", columns, words)


def chdb(path, columns):
    import chdb as engine
    # A list is never null in ClickHouse, but empty.
    words = {"count list": "NULL", "text": "sum(length({}))", "moment": "sum(toUnixTimestamp({}))", "boolean": "countIf({})", "list": "sum(length({}))", "number": "sum({})"}
    run = lambda q: json.loads(str(engine.query(q + " FORMAT JSONCompactEachRow SETTINGS output_format_json_quote_64bit_integers = 0")))
    return by_sql(run, f"file('{pattern(path)}', Parquet)", columns, words)


def datafusion(path, columns):
    import datafusion as engine
    session = engine.SessionContext()
    session.register_parquet("t", path)
    words = {"text": "sum(octet_length({}))", "moment": "sum(CAST(floor(date_part('epoch', {})) AS BIGINT))", "boolean": "count(*) FILTER (WHERE {})", "list": "sum(array_length({}))", "number": "sum({})"}
    run = lambda q: [list(c)[0] for c in session.sql(q).to_pydict().values()]
    return by_sql(run, "t", columns, words)


def polars(path, columns):
    import polars as engine
    from polars import col
    words = {
        "text": lambda c: c.str.len_bytes().sum(), "moment": lambda c: (c.dt.epoch("us") // 1000000).sum(), "boolean": lambda c: c.sum(),
        "list": lambda c: c.list.len().sum(), "number": lambda c: c.sum(),
    }
    list = [engine.len().alias("rows")]
    for name, kind in columns.items():
        list += [col(name).count().alias(name + " count"), words[kind](col(name)).alias(name + " sum")]
    return engine.scan_parquet(pattern(path)).select(list).collect().row(0)


def pyarrow(path, columns):
    import pyarrow as pa
    import pyarrow.compute as compute
    import pyarrow.dataset as dataset
    rows = dataset.dataset(path).to_table()
    words = {
        "text": compute.binary_length, "boolean": lambda c: c.cast(pa.int64()), "list": compute.list_value_length, "number": lambda c: c,
        "moment": lambda c: compute.floor(compute.divide(c.cast(pa.int64()).cast(pa.float64()), 1000000.0)),
    }
    values = [rows.num_rows]
    for name, kind in columns.items():
        column = rows.column(name)
        values += [len(column) - column.null_count, compute.sum(words[kind](column)).as_py()]
    return values


def main(engine, folder, tables):
    counts = {}
    for table, columns in tables.items():
        counts[table] = [None if v is None else round(float(v), 6) for v in globals()[engine](place(folder, table), columns)]
    print(json.dumps(counts))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.load(sys.stdin))
