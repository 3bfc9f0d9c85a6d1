// Package tables is hindsql's vocabulary: the events that readers emit, the
// tables that people query, and the one step between them.
//
//  1. A reader emits the [Event] values of one log file into a [File].
//  2. [File.AppendTo] joins what belongs together inside that file (a result
//     to its call, a refusal to what it refused, an interruption to what it
//     cut) and appends the rows to a [Batch].
//  3. A [Batch] hands out one Arrow record batch a table; engine loads them.
//  4. [Links] is the SQL that joins what stands in several files: copies of
//     resumed sessions, clears, session totals.
//
// A column is declared once, on one line: name, type, prose, how it is got.
// The Arrow schema, the DDL, the comments, README.md and the [SchemaHash] are
// derived from that line. The package knows no agent and no database.
package tables
