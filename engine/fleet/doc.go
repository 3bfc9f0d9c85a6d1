// Package fleet has the tests of push, pull and lake. The three packages share one test
// binary, because a binary with DuckDB takes seconds to link, and because most tests
// push and then pull or query a lake.
//
// In: homes of several machines, and a folder or bucket. Out: the rows that other
// machines get.
package fleet
