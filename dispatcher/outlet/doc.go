// Package outlet holds the ways out: voices, private text and hand-overs.
//
// A Voice is a Synthesiser (espeak-ng, an OpenAI-compatible server, or none) and the
// Sinks that hear it: console, files, webhook, WebSocket, speech-cue.v1. It owns how an
// utterance becomes audible sentence by sentence, how long that occupies the room's
// voice, and who else has the floor. It does not own what is said, in which order, or
// whether it may still be said (dispatcher).
//
// Invariants: nothing begins after SpeakByMs; a voice falls silent when its context ends
// and tells how far it came and every sink to drop what it has of the delivery; a
// sentence that was cut off is begun anew, never continued in the middle; one sink that
// does not hear silences no other; times are room time. The suite is
// dispatcher/outlettest.
package outlet
