package skills

// Stamped calls stamped after removing the text's stamp.
func Stamped(text, version string) string {
	return stamped(stampForm.ReplaceAllString(text, ""), version)
}
