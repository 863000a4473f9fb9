// Package outlet holds the ways out: voices and private text.
//
// It owns how an utterance becomes audible and how long that occupies the voice.
// It does not own what is said, in which order, or whether it may still be said
// (dispatcher).
//
// Invariants: nothing begins after SpeakByMs; a voice falls silent when its context
// ends and tells how far it came; times are room time. The suite is
// dispatcher/outlettest.
package outlet
