package demo

import "livehost/internal/wording"

// Explains reports whether the printer has words for a reason.
func Explains(reason string) bool {
	w, ok := wording.Reason(reason)
	return ok && w.EN != "" && w.ZH != ""
}
