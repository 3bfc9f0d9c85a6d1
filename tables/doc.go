// Package tables is hindsql's vocabulary: the events emitted by readers, the tables
// queried by users, and the step from events to rows.
//
//  1. A reader emits the [Event] values of one log file into a [File].
//  2. [File.AppendTo] joins the events of that file (a result to its call, a
//     refusal to the refused call, an interruption to the cut response) and
//     appends the rows to a [Batch].
//  3. A [Batch] hands out one Arrow record batch a table; engine loads them.
//  4. [Links] is the SQL that joins rows of several files: copies in resumed
//     sessions, clears, session totals.
//
// A column is declared once, on one line: name, type, prose, function. The Arrow
// schema, the DDL, the comments, README.md and the [SchemaHash] are derived from that
// line. The package knows no agent and no database.
package tables
