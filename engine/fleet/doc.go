// Package fleet has the tests of what carries rows between machines: push, pull
// and lake. They share one test binary, because each one with DuckDB in it takes
// seconds to link, and because most of them push, and then pull or ask a lake.
//
// In: homes of several machines, and a folder or bucket. Out: what others have of
// them.
package fleet
