package skills

// Stamped is stamped, for a text that has a stamp.
func Stamped(text, version string) string {
	return stamped(stampForm.ReplaceAllString(text, ""), version)
}
