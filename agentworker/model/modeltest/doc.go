// Package modeltest is a scripted model.Model for tests of what calls one.
//
// It owns no protocol: agentworker/model/openaimodel is tested on recorded streams.
package modeltest
