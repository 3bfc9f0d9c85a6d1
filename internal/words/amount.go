package words

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Amount formats a number given in decimal digits: 1234.5678 becomes 1,234.57. Zeros
// after the point stay. Numbers with an exponent, and texts without a number, stay
// unchanged.
func Amount(text string) string {
	sign, rest := "", text
	if strings.HasPrefix(rest, "-") {
		sign, rest = "-", rest[1:]
	}
	if strings.Trim(rest, "0123456789.") != "" || strings.Count(rest, ".") > 1 {
		return text
	}
	whole, fraction, isBroken := strings.Cut(rest, ".")
	if most := decimals(whole, fraction); len(fraction) > most {
		exact, ok := new(big.Rat).SetString(rest)
		if !ok {
			return text
		}
		whole, fraction, isBroken = strings.Cut(exact.FloatString(most), ".")
	}
	whole = sign + thousands(whole)
	if isBroken {
		whole += "." + fraction
	}
	return whole
}

// Digits is [Amount] with all digits after the point, needed to tell the marks of an
// axis apart.
func Digits(text string) string {
	whole, fraction, isBroken := strings.Cut(text, ".")
	if isBroken {
		fraction = "." + fraction
	}
	return Amount(whole) + fraction
}

// decimals returns the number of digits after the point for people.
func decimals(whole, fraction string) int {
	const most = 2
	if strings.Trim(whole, "0") != "" || strings.Trim(fraction, "0") == "" {
		return most
	}
	return most + 1 + len(fraction) - len(strings.TrimLeft(fraction, "0"))
}

// thousands inserts commas into digits.
func thousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Int formats a whole number: 12,345.
func Int[N int | int64](n N) string { return Amount(strconv.FormatInt(int64(n), 10)) }

// Number formats a number: 1,234.57.
func Number(f float64) string {
	if math.IsNaN(f) || math.Abs(f) >= 1e15 || f != 0 && math.Abs(f) < 1e-6 {
		return strconv.FormatFloat(f, 'g', 6, 64)
	}
	return Amount(strconv.FormatFloat(f, 'f', -1, 64))
}

// Quantity formats a number of things, named in the singular: 1 row, 12,345 rows.
func Quantity[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Int(n) + " " + noun + "s"
}

// Dollars formats an amount of money: $1,234.50.
func Dollars(f float64) string { return "$" + Digits(strconv.FormatFloat(f, 'f', 2, 64)) }

// Size formats a number of bytes: 812 B, 34.2 MB.
func Size(bytes int64) string {
	const units = "kMGTP"
	if bytes < 1000 {
		return Int(bytes) + " B"
	}
	f, unit := float64(bytes)/1000, 0
	for f >= 999.95 && unit < len(units)-1 {
		f /= 1000
		unit++
	}
	return Amount(strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")) + " " + units[unit:unit+1] + "B"
}
