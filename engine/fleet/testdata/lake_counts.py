"""Counts in a landing with one engine: lake_counts.py ENGINE, of a description on
standard input: {"tables": {NAME: {"files": [...], "once": SQL over NAME}}, "counts": [SQL]}.

Each of counts gives one number, over tables by name that have each row once.
Prints the numbers as JSON. What reads files differs by engine; the SQL is one for
all, also for those that read Iceberg tables.
"""
import json
import pathlib
import sys


def duckdb(tables):
    import duckdb as engine
    for name, t in tables.items():
        engine.sql(f"CREATE VIEW landed_{name} AS FROM read_parquet({t['files']!r}, union_by_name = true)")
    return lambda q: engine.sql(q).fetchall()[0][0]


def frames(tables):
    """Each table's rows as one pyarrow table; what a file lacks is null."""
    import pyarrow as pa
    import pyarrow.parquet as parquet
    return {name: pa.concat_tables([parquet.read_table(f, partitioning=None) for f in t["files"]], promote_options="permissive") for name, t in tables.items()}


def polars(tables):
    import polars as engine
    session = engine.SQLContext()
    for name, t in tables.items():
        session.register("landed_" + name, engine.concat([engine.scan_parquet(f, hive_partitioning=False) for f in t["files"]], how="diagonal_relaxed"))
    return lambda q: session.execute(q, eager=True).row(0)[0]


def datafusion(tables):
    import datafusion as engine
    session = engine.SessionContext()
    for name, rows in frames(tables).items():
        session.from_arrow(rows, "landed_" + name)
    return lambda q: list(session.sql(q).to_pydict().values())[0][0]


def chdb(tables):
    import chdb as engine
    names = {}
    for name, t in tables.items():
        machines = pathlib.Path(t["files"][0]).parents[2]  # it takes patterns, and no lists: here all files are live ones
        files = f"{machines}/*/{name}/*.parquet"
        names["landed_" + name] = f"file('{files}', Parquet)"

    def run(q):
        for name, source in names.items():
            q = q.replace(name + " ", source + " ").replace(name + ")", source + ")")
        out = engine.query(q + " FORMAT JSONCompactEachRow SETTINGS schema_inference_mode = 'union', output_format_json_quote_64bit_integers = 0, join_use_nulls = 1")
        return json.loads(str(out).splitlines()[0])[0]
    return run


def main(engine):
    asked = json.load(sys.stdin)
    run = globals()[engine](asked["tables"])
    numbers = []
    for count in asked["counts"]:
        for name, t in asked["tables"].items():
            count = count.replace("{" + name + "}", "(" + t["once"] + ")")
        numbers.append(int(run(count) or 0))
    print(json.dumps(numbers))


if __name__ == "__main__":
    main(sys.argv[1])
