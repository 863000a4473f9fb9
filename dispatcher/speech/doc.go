// Package speech turns reply text into text that can be said. It is pure.
//
// It owns two steps. Clean drops what nobody should hear or what cannot be said
// (emoji, kaomoji, markdown, URLs, platform tokens such as [玫瑰], zero-width
// characters) and keeps every word and number: this is the text as heard in
// delivery.v1. Say writes out what an engine may read wrong (prices, percentages,
// ranges, promotions, years, phone numbers). It does not own how long speech takes
// (dispatcher/pacing) or which engine says it (dispatcher/outlet).
//
// Invariants: Clean loses no letter or digit outside what it drops, and Clean of a
// cleaned text changes nothing; Say changes no number's value; text with nothing to
// say gives "".
package speech
