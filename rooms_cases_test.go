package livehost_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// roomCases are the field bugs of live rooms that the project collects, by number:
// each with the tests that hold it, as a folder and either a test's name or the name
// of a case of a test.
var roomCases = map[string][]string{
	// what comes in, merging and the room's context
	"P01": {"aggregator: TestP01RepeatedPlatformIDGetsNoOutcome"},
	"P03": {"aggregator: TestP03HistoryReplayedByAnotherProducer"},
	"P04": {"aggregator: TestP04RepeatedOutOfOrderAndLost"},
	"P06": {"aggregator: TestP06GenuineRepeatIsKnown", "aggregator/filter: TestP06SameWordsTimeAndAgain"},
	"P07": {"aggregator: TestP07StreakGiftIsThankedOnce"},
	"P09": {"aggregator: TestP09P10CountsOfAStreakAreTotals"},
	"P10": {"aggregator: TestP09P10CountsOfAStreakAreTotals"},
	"P12": {"aggregator: TestP12P72PurchaseOfSeveralRecords"},
	"P15": {"aggregator: TestP15QuestionBeforeChatOfTheSameSecond"},
	"P16": {"aggregator: TestP16TenQuestionsTenOutcomes"},
	"P25": {"aggregator: TestP25AnsweredInPlatformOrder"},
	"P27": {"aggregator: TestP27SameQuestionIsMergedIntoOnePublicAnswer", "aggregator/cluster: TestP27SynonymsShareAKey", "dispatcher: P27 the same variant joins", "dispatcher: TestNewcomers"},
	"P28": {"aggregator/cluster: TestP28OppositesSizesAndNumbersDiffer"},
	"P39": {"aggregator: TestP39BannedWordIsNeverPutToTheAgent", "dispatcher: P78 an abusive or advertising name is not read out"},
	"P40": {"aggregator: TestP40ViewersControlNothing"},
	"P42": {"aggregator/filter: TestP42AllowedWordsPass", "aggregator/filter: TestP42WantedPasses"},
	"P43": {"aggregator/text: TestP43ZeroWidthAndHomoglyphs"},
	"P45": {"aggregator: TestP45SplitHomophoneAndLeetBait", "aggregator/filter: TestUnwantedIsFiltered"},
	"P46": {"aggregator: TestP46OrdersStayData", "agentworker/prompt: TestHostileText"},
	"P48": {"aggregator: TestP48HostIsAFlagNotAName", "aggregator: TestP48HostByID"},
	"P49": {"aggregator: TestP49OwnVoiceNeverComesBack"},
	"P51": {"aggregator: TestP51MirroredRoomIsNotOurs"},
	"P52": {"aggregator: TestP52RoomClosedAndOpenedAgain", "aggregator: TestP52StragglerOfTheBroadcastBefore", "aggregator: TestP52OpeningOfTheNextIsLost", "dispatcher: TestP52OpeningOfTheNextIsLost", "aggregator: TestP52OpenedAgainWithoutAName", "dispatcher: TestP52WhatIsOnIsSaid"},
	"P54": {"aggregator: TestP54AnonymousViewersGetControlAndNoExposure", "aggregator/filter: TestP54AnonymousIsNotOneFlooder"},
	"P55": {"aggregator: TestP55MissingFields", "aggregator: TestP55NoClock"},
	"P57": {"aggregator/text: TestP57LongTextIsCapped", "aggregator: TestP57TruncationIsOnRecord", "dispatcher: P57 no sentence ends"},
	"P58": {"aggregator/text: TestP58RepeatedRunsAndPhrases"},
	"P63": {"aggregator: TestP63FocusAtTheCommentsTime", "aggregator/cluster: TestP63KeyFollowsFocus"},
	"P66": {"aggregator: TestP66SaidThreeTimesIsOneQuestion"},
	"P67": {"aggregator/lexicon: TestP67LongestWordNotSubstring"},
	"P69": {"aggregator: TestP69RoomGoesOnAfterItsFeedWasAway", "aggregator: TestP69SilentFeedIsCounted"},
	"P72": {"aggregator: TestP12P72PurchaseOfSeveralRecords"},
	"P73": {"aggregator: TestP73OutletIsTheRooms", "dispatcher: P73 no private channel, no voice switched off by it: the room's outlet decides"},
	"P75": {"aggregator: TestP75ForeignIDsChangeNothing", "dispatcher: P75 an answer is for those of its window alone"},
	"P76": {"aggregator: TestP76EveryElementOfABatch"},

	// both what comes in and what is spoken
	"P30": {"aggregator/text: TestP30PlatformEmojiAndEmoji", "dispatcher: P61 P30 nothing to say", "dispatcher/speech: TestP30P31EmojiAndPlatformNamesAreNotRead"},
	"P31": {"aggregator/text: TestP31EmojiStrippedAlways", "dispatcher/speech: TestP30P31EmojiAndPlatformNamesAreNotRead"},
	"P33": {"aggregator/text: TestP33URLStrippedQuestionKept"},
	"P70": {"aggregator: TestP70Retraction", "dispatcher: P70 retracted while queued, and too late"},
	"P78": {"aggregator: TestP78NamesThatMayNotBeReadOut", "dispatcher: P78 an abusive or advertising name is not read out"},

	// speech and replies
	"P13": {"aggregator: TestP13FeedThatCatchesUp", "dispatcher: P13 a backlog is bounded by age", "dispatcher: P13 nothing expires where private text is"},
	"P18": {"dispatcher: P18 P19 no two voices", "dispatcher: P18 one voice, class before time"},
	"P19": {"dispatcher: P18 P19 no two voices"},
	"P21": {"dispatcher: P21 interrupted before the first audio: nothing is heard, private text goes on"},
	"P22": {"dispatcher: P22 silent in the middle of a sentence, within 300 ms"},
	"P24": {"dispatcher: P24 each answer is its own question's, aloud and in writing"},
	"P34": {"dispatcher/speech: TestP34MarkdownIsNotRead"},
	"P36": {"dispatcher/speech: TestP36ReadByContext"},
	"P37": {"dispatcher/speech: TestP37NumbersAndNamesAreNotSplit"},
	"P60": {"dispatcher: P60 the voice stalls: the asker gets it in writing before it is late", "agentworker/model/openaimodel: TestTokensThatDoNotCome"},
	"P61": {"dispatcher: P61 P30 nothing to say"},
	"P64": {"dispatcher: P64 a reply without text for anybody is silence, not a sentence", "agentworker/guardrail: TestTexts"},
}

// roomRows are the rows of that collection; none may be left out.
var roomRows = strings.Fields(
	"P01 P03 P04 P06 P07 P09 P10 P12 P13 P15 P16 P18 P19 P21 P22 P24 P25 P27 P28 P30 P31 P33 P34 P36 P37 P39 " +
		"P40 P42 P43 P45 P46 P48 P49 P51 P52 P54 P55 P57 P58 P60 P61 P63 P64 P66 P67 P69 P70 P72 P73 P75 P76 P78",
)

func TestEveryRoomCaseIsATest(t *testing.T) {
	t.Parallel()
	for _, row := range roomRows {
		if len(roomCases[row]) == 0 {
			t.Errorf("%s: no test", row)
		}
	}
	tests := map[string]string{} // folder -> text of its tests
	for row, refs := range roomCases {
		for _, ref := range refs {
			dir, name, ok := strings.Cut(ref, ": ")
			if !ok {
				t.Fatalf("%s: %q names no folder", row, ref)
			}
			if _, read := tests[dir]; !read {
				tests[dir] = testsIn(t, dir)
			}
			named := fmt.Sprintf("%q", name)
			if regexp.MustCompile(`^(Test|Fuzz)\w+$`).MatchString(name) {
				named = "func " + name + "("
			}
			if !strings.Contains(tests[dir], named) {
				t.Errorf("%s: no test of %s is named %q", row, dir, name)
			}
		}
	}
}

func testsIn(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files of tests, %v", dir, len(files), err)
	}
	var text strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	return text.String()
}
