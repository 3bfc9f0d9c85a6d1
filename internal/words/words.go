// Package words formats values for people: amounts, durations, sizes, times, a text as
// one line, its beginning, sentences, lists.
//
// In: a value. Out: its text, the same on a terminal, on a page, in a report, in a
// chart, and in texts for agents. Files and answers for programs have the value itself.
//
// Each kind of value has a single spelling:
//
//	amount    2,817  -1,234.57  0.000412   commas from four digits on, a hyphen as minus;
//	                                       at most two digits behind the point, below 1 three that count
//	quantity  1 row  2,817 rows
//	duration  340 ms  1.5 s  3 min 20 s  2 h 5 min  4 d 3 h
//	size      812 B  34.2 MB               by thousands
//	time      2026-10-12 15:04             in the zone of the given time
//	line      a text with single blanks for blanks and line ends
//	cut       at most a number of characters, the last of them …
//	sentence  A great letter first, a full stop last.
//	list      a, b and c
package words
