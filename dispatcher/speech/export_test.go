package speech

// Say is say in the text's own language.
func Say(clean string) string { return say(clean, hasHan(clean)) }
