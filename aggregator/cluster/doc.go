// Package cluster says what a danmaku is about and which danmaku ask the same.
//
// It owns the class that follows from an intent, and the question key; what a text
// wants is intent's. Keys are variant-free; equal keys ask the same thing of the same product
// in the same language. It keeps no state: covering and cooling down are the
// room's.
//
// Invariants: Read is pure; negation, numbers and sizes are in the key (防水 is
// not 不防水, S码 not XS码), and so is who is asked about, which of two, and
// whether it has happened (merge_test.go names the kinds); a private matter's
// key holds its viewer (private.go); text whose subject is not known never shares a key; chat
// shares one by what it does (cheers, thanks, agrees), whoever it names, unless it
// says something of its own.
package cluster
