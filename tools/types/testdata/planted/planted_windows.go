package planted

func only() int {
	return missing
}
