module hindsql

go 1.26.0

require (
	github.com/BurntSushi/toml v1.6.0 // the rules of engine/redact, which are TOML; reports; settings of agents; push.toml
	github.com/alecthomas/chroma v0.10.0 // code and diffs on pages, by class. v2 parses its lexers whenever a program starts: 8 ms of every command
	github.com/apache/arrow-go/v18 v18.8.0 // rows on their way from readers to DuckDB
	github.com/aymanbagabas/go-udiff v0.4.1 // the unified diffs of refused edits
	github.com/cespare/xxhash/v2 v2.3.0 // hashes of logs' beginnings, in 6 µs each; sha256 takes 145, 3 % of a first load
	github.com/duckdb/duckdb-go-bindings v0.10505.0 // the version of the DuckDB that is linked, which duckdb-go tells of an open database only
	github.com/duckdb/duckdb-go/v2 v2.10505.0 // the store and SQL; newer tags do not download
	github.com/elastic/go-seccomp-bpf v1.6.0 // system calls that a worker has no use for are refused in all its threads; on Linux only
	github.com/gofrs/flock v0.13.1 // one sync of a store at a time, on every OS, released by a kill
	github.com/google/go-cmp v0.7.0 // tests: readable differences
	github.com/google/jsonschema-go v0.4.3 // tests: session objects against their schema; no dependencies of its own
	github.com/google/uuid v1.6.0 // ids of machines: of version 7, which sort by when they were made
	github.com/johannesboyne/gofakes3 v1.2.0 // tests: an S3 API
	github.com/klauspost/compress v1.19.2 // zstd: logs that agents have compressed
	github.com/mattn/go-runewidth v0.0.31 // columns of a terminal that a character takes
	github.com/microcosm-cc/bluemonday v1.0.27 // lets through what HTML of Markdown may hold: a second lock; it adds 0.1 MB
	github.com/minio/minio-go/v7 v7.4.1 // buckets of any S3 API: push and pull; 7.8 MB, where gocloud's blob is 22
	github.com/modelcontextprotocol/go-sdk v1.8.0 // the protocol by which agents ask, in all its versions; it adds 3.4 MB to the program
	github.com/rivo/uniseg v0.4.7 // characters as a user counts them, and their columns, in the prompt
	github.com/robfig/cron/v3 v3.0.1 // the fields of cron, which are read right elsewhere
	github.com/rogpeppe/go-internal v1.16.0 // tests: txtar samples, scripts of the command line
	github.com/schollz/progressbar/v3 v3.19.1 // progress of a long sync
	github.com/shirou/gopsutil/v4 v4.26.10 // a worker's memory on macOS, Windows and FreeBSD; on Linux it isn't linked, and /proc tells
	github.com/spf13/cobra v1.10.2 // commands, flags, shell completion
	github.com/spf13/pflag v1.0.10 // flags of several commands; cobra has it
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // settings of agents, JSON with comments: strips the comments before encoding/json
	github.com/valyala/fastjson v1.6.10 // its numbers, and its strict check; tests compare internal/fastjson with it
	github.com/wcharczuk/go-chart/v2 v2.1.2 // line charts of reports as SVG, styled by CSS classes
	github.com/yuin/goldmark v1.8.7 // Markdown of agents' answers; it adds 0.8 MB
	github.com/zricethezav/gitleaks/v8 v8.30.1 // what a secret looks like: only its config package, which has the rules as text
	golang.org/x/net v0.61.0 // tests: pages taken apart as browsers do
	golang.org/x/sync v0.24.0 // one statement alone, or many at once, in the worker of strangers' SQL
	golang.org/x/sys v0.49.0 // lists folders on Linux without looking up each file's whole path; opens logs on Windows so that agents can replace them; terminals of the prompt's tests; bounds a worker
	golang.org/x/term v0.47.0 // whether output is a terminal, and how wide; keys one by one at the prompt
	golang.org/x/text v0.43.0 // joins decomposed letters in paths of macOS
	modernc.org/sqlite v1.61.1 // agents' logs that are SQLite databases: pure Go, and it reads through a file system of ours
	mvdan.cc/sh/v3 v3.14.1 // the parts of a shell command, as permission rules see them
)

require golang.org/x/tools v0.52.0

require (
	github.com/BobuSumisu/aho-corasick v1.0.3 // indirect
	github.com/andybalholm/brotli v1.2.3 // indirect
	github.com/apache/thrift v0.24.0 // indirect
	github.com/aymerick/douceur v0.2.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/dlclark/regexp2 v1.4.0 // indirect
	github.com/duckdb/duckdb-go-bindings/lib/darwin-amd64 v0.10505.0 // indirect
	github.com/duckdb/duckdb-go-bindings/lib/darwin-arm64 v0.10505.0 // indirect
	github.com/duckdb/duckdb-go-bindings/lib/linux-amd64 v0.10505.0 // indirect
	github.com/duckdb/duckdb-go-bindings/lib/linux-arm64 v0.10505.0 // indirect
	github.com/duckdb/duckdb-go-bindings/lib/windows-amd64 v0.10505.0 // indirect
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/ebitengine/purego v0.11.2 // indirect
	github.com/fsnotify/fsnotify v1.9.0 // indirect
	github.com/go-ole/go-ole v1.2.6 // indirect
	github.com/go-viper/mapstructure/v2 v2.5.0 // indirect
	github.com/goccy/go-json v0.10.6 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/google/flatbuffers v25.12.19+incompatible // indirect
	github.com/gorilla/css v1.0.1 // indirect
	github.com/hashicorp/go-version v1.9.0 // indirect
	github.com/hashicorp/hcl v1.0.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/klauspost/cpuid/v2 v2.4.0 // indirect
	github.com/klauspost/crc32 v1.3.0 // indirect
	github.com/lufia/plan9stats v0.0.0-20211012122336-39d0f177ccd0 // indirect
	github.com/magiconair/properties v1.8.9 // indirect
	github.com/mattn/go-colorable v0.1.15 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/minio/crc64nvme v1.1.1 // indirect
	github.com/minio/md5-simd v1.1.2 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/mitchellh/mapstructure v1.5.0 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/philhofer/fwd v1.2.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.29 // indirect
	github.com/power-devops/perfstat v0.0.0-20260805114148-88456608a4f6 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/rs/xid v1.6.0 // indirect
	github.com/rs/zerolog v1.33.0 // indirect
	github.com/ryszard/goskiplist v0.0.0-20150312221310-2dfbae5fcf46 // indirect
	github.com/sagikazarmark/locafero v0.7.0 // indirect
	github.com/sagikazarmark/slog-shim v0.1.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/sourcegraph/conc v0.3.0 // indirect
	github.com/spf13/afero v1.15.0 // indirect
	github.com/spf13/cast v1.7.1 // indirect
	github.com/spf13/viper v1.19.0 // indirect
	github.com/subosito/gotenv v1.6.0 // indirect
	github.com/tetratelabs/wazero v1.9.0 // indirect
	github.com/tinylib/msgp v1.6.4 // indirect
	github.com/tklauser/go-sysconf v0.4.0 // indirect
	github.com/tklauser/numcpus v0.12.0 // indirect
	github.com/wasilibs/go-re2 v1.9.0 // indirect
	github.com/wasilibs/wazero-helpers v0.0.0-20240620070341-3dff1577cd52 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	github.com/yusufpapurcu/wmi v1.2.4 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	go.shabbyrobe.org/gocovmerge v0.0.0-20230507111327-fa4f82cfbf4d // indirect
	go.uber.org/multierr v1.11.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/exp v0.0.0-20260112195511-716be5621a96 // indirect
	golang.org/x/image v0.30.0 // indirect
	golang.org/x/oauth2 v0.36.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260526163538-3dc84a4a5aaa // indirect
	google.golang.org/grpc v1.83.2 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	gopkg.in/ini.v1 v1.67.3 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
	modernc.org/libc v1.79.0 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)
