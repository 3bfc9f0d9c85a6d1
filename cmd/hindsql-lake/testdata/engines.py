# Counts and sums of a lake, as other engines read it: one line of JSON an engine.
# engines.py ENGINE CATALOG-URL S3-ENDPOINT HINDSQL-LAKE-BINARY
import json, os, subprocess, sys, time, urllib.request

engine, catalog, endpoint, binary = sys.argv[1:5]
TABLES = "sessions messages tool_calls rejections interruptions compactions clears prompts sources problems record_kinds".split()
SUMS = {"messages": ["input_tokens", "output_tokens", "cache_read_tokens"], "sessions": ["message_count"]}
KEY, SECRET = os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"]
S3 = {"s3.endpoint": endpoint, "s3.access-key-id": KEY, "s3.secret-access-key": SECRET, "s3.region": "us-east-1", "s3.path-style-access": "true"}


def queries(dialect, cat):
    """The queries of the views, by table."""
    text = subprocess.check_output([binary, "views", "--dialect", dialect] + (["--in", cat] if cat else []), text=True)
    return {t: line.split(" AS ", 1)[1].rstrip(";") for t, line in zip(TABLES, text.splitlines())}


def numbers(query, of):
    """Counts and sums, each query by the engine's own function."""
    out = {}
    for t in TABLES:
        columns = ["count(*)"] + [f"sum({c})" for c in SUMS.get(t, [])]
        row = query(f"SELECT {', '.join(columns)} FROM ({of[t]}) AS q")
        out[t] = int(row[0])
        out.update({f"{t}.{c}": int(v or 0) for c, v in zip(SUMS.get(t, []), row[1:])})
    return out


def pyiceberg():
    """PyIceberg has no SQL: it reads the tables, and DuckDB runs the queries on what it read."""
    import duckdb
    from pyiceberg.catalog.rest import RestCatalog

    c = RestCatalog("lake", uri=catalog, **S3)
    db = duckdb.connect()
    db.sql("CREATE SCHEMA hindsql_with_copies")
    for t in TABLES:
        rows = c.load_table(f"hindsql_with_copies.{t}").scan().to_arrow()
        db.register("rows", rows)
        db.sql(f"CREATE TABLE hindsql_with_copies.{t} AS FROM rows")
        db.unregister("rows")
    return numbers(lambda q: db.sql(q).fetchone(), queries("duckdb", ""))


def duckdb():
    import duckdb

    db = duckdb.connect()
    for e in ["avro", "httpfs", "iceberg"]:
        module = __import__(f"duckdb_extension_{e}")
        folder = os.path.dirname(module.__file__)
        found = [os.path.join(d, f) for d, _, fs in os.walk(folder) for f in fs if f.endswith(".duckdb_extension")]
        db.sql(f"LOAD '{found[0]}'")
    host = endpoint.split("://")[1]
    db.sql(f"CREATE SECRET (TYPE s3, KEY_ID '{KEY}', SECRET '{SECRET}', ENDPOINT '{host}', URL_STYLE 'path', USE_SSL false, REGION 'us-east-1')")
    db.sql(f"ATTACH '' AS lake (TYPE iceberg, ENDPOINT '{catalog}', AUTHORIZATION_TYPE 'none', ACCESS_DELEGATION_MODE 'none')")
    return numbers(lambda q: db.sql(q).fetchone(), queries("duckdb", "lake"))


def spark():
    from pyspark.sql import SparkSession

    b = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "2g").config("spark.sql.shuffle.partitions", "4")
    b = b.config("spark.jars", os.environ["HINDSQL_SPARK_JARS"]).config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
    options = {"": "org.apache.iceberg.spark.SparkCatalog", ".type": "rest", ".uri": catalog, ".io-impl": "org.apache.iceberg.aws.s3.S3FileIO", ".client.region": "us-east-1"}
    options.update({f".{k}": v for k, v in S3.items()})
    for k, v in options.items():
        b = b.config(f"spark.sql.catalog.lake{k}", v)
    s = b.getOrCreate()
    s.sparkContext.setLogLevel("ERROR")
    return lakes_own("spark", lambda q: s.sql(q).collect(), "lake.hindsql_with_copies.messages.files")


def lakes_own(dialect, rows, files):
    """What an engine says that reads the catalog's own views, and can join files."""
    if sys.argv[5:] == ["compact"]:
        for line in subprocess.check_output([binary, "compact", "--dialect", dialect, "--in", "lake"], text=True).splitlines():
            rows(line.rstrip(";"))
    result["files"] = int(rows(f"SELECT count(*) FROM {files}")[0][0])
    return numbers(lambda q: rows(q)[0], {t: f"SELECT * FROM lake.hindsql.{t}" for t in TABLES})


def trino():
    return lakes_own("trino", trino_rows, 'lake.hindsql_with_copies."messages$files"')


def trino_rows(query):
    """The rows that a Trino of this machine gives: it answers in pages. A Trino that has
    just started may not know its own node yet."""
    rows, page = [], trino_page(urllib.request.Request("http://127.0.0.1:8183/v1/statement", query.encode(), {"X-Trino-User": "test"}))
    while True:
        rows += page.get("data", [])
        if "No nodes available" in page.get("error", {}).get("message", "") and time.time() - start < 60:
            time.sleep(1)
            return trino_rows(query)
        if "error" in page:
            raise SystemExit(f"{query}: {page['error']['message']}")
        if "nextUri" not in page:
            return rows
        page = trino_page(page["nextUri"])


def trino_page(request):
    with urllib.request.urlopen(request) as r:
        return json.load(r)


def clickhouse():
    from chdb import session

    s = session.Session()
    s.query("SET allow_experimental_database_iceberg = 1")
    s.query(f"CREATE DATABASE lake ENGINE = DataLakeCatalog('{catalog}/v1', '{KEY}', '{SECRET}') SETTINGS catalog_type = 'rest', storage_endpoint = '{endpoint}', warehouse = 'lake'")
    return numbers(lambda q: json.loads(str(s.query(q, "JSONCompact")))["data"][0], queries("clickhouse", "lake"))


start, result = time.time(), {"engine": engine}
result["numbers"] = {"pyiceberg": pyiceberg, "duckdb": duckdb, "spark": spark, "trino": trino, "clickhouse": clickhouse}[engine]()
print(json.dumps(result | {"seconds": round(time.time() - start, 1)}))
