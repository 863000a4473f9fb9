package demo

// Explains reports whether the printer has words for a reason.
func Explains(reason string) bool {
	w := reasonWords[reason]
	return w.en != "" && w.zh != ""
}
