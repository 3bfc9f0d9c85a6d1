package render

// gap is the position of the column that stands for those left out.
const gap = -1

// overhead is what n columns take beside their text: a border and two spaces each.
func overhead(n int) int { return 3*n + 1 }

// pick chooses the columns that are shown in a terminal of the given width:
// all of them if that is possible when each gets its least width, else those
// at both ends, with gap between them.
func pick(least []int, width int) []int {
	if width == 0 || overhead(len(least))+sum(least) <= width {
		return between(nil, 0, len(least))
	}
	left, right := ends(least, width)
	return between(append(between(nil, 0, left), gap), right, len(least))
}

// ends gives the columns that fit, [0,left) and [right,n), with a gap between
// them; they are taken from both ends by turns.
func ends(least []int, width int) (left, right int) {
	right = len(least)
	room := width - overhead(1) - 1
	for left < right {
		next := left
		if left > len(least)-right {
			next = right - 1
		}
		if room -= least[next] + 3; room < 0 && left > 0 {
			break
		}
		if next == left {
			left++
		} else {
			right--
		}
	}
	return left, right
}

func between(list []int, from, to int) []int {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// fit gives each column its natural width or, when the room does not suffice,
// a narrower one: the widest give way first, none below its least width.
func fit(natural, least []int, room int) []int {
	low, high := 0, 0
	for _, w := range natural {
		high = max(high, w)
	}
	// The highest limit of all widths under which they fit.
	for low < high {
		limit := (low + high + 1) / 2
		if sum(clamp(natural, least, limit)) <= room {
			low = limit
		} else {
			high = limit - 1
		}
	}
	widths := clamp(natural, least, low)
	rest := room - sum(widths)
	for i := range widths {
		if rest > 0 && widths[i] < natural[i] && widths[i] == low {
			widths[i]++
			rest--
		}
	}
	return widths
}

func clamp(natural, least []int, limit int) []int {
	widths := make([]int, len(natural))
	for i := range natural {
		widths[i] = max(least[i], min(natural[i], limit))
	}
	return widths
}

func sum(widths []int) int {
	total := 0
	for _, w := range widths {
		total += w
	}
	return total
}
