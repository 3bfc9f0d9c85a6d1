package skills

// Stamped returns a text with a new stamp of the given version. A stamp already in the
// text is replaced.
func Stamped(text, version string) string {
	return stamped(stampForm.ReplaceAllString(text, ""), version)
}
