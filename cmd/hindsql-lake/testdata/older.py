# Makes of what a machine landed in a folder that of a hindsql which had no such columns.
# older.py MACHINE-FOLDER TABLE.COLUMN…
import hashlib, json, os, sys

import pyarrow.parquet as pq

folder, gone = sys.argv[1], [name.split(".") for name in sys.argv[2:]]
path = os.path.join(folder, "manifest.json")
manifest = json.load(open(path))
manifest["schema"] = "older"
for t in manifest["tables"]:
    if not t.get("beside"):
        t["columns"] = [c for c in t["columns"] if [t["name"], c["name"]] not in gone]
for f in manifest["files"]:
    f["schema"] = "older"
    columns = [c for t, c in gone if t == f["table"]]
    if columns and not f.get("beside"):
        file = os.path.join(folder, f["path"])
        pq.write_table(pq.ParquetFile(file).read().drop_columns(columns), file, compression="zstd")
        text = open(file, "rb").read()
        f["bytes"], f["sha256"] = len(text), hashlib.sha256(text).hexdigest()
json.dump(manifest, open(path, "w"))
