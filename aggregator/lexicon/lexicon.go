package lexicon

import (
	"math/bits"
	"strings"
)

// Set maps words to values.
type Set[T any] struct {
	starts runes     // what words begin with: most of a text begins none
	root   []edge[T] // by place
}

type node[T any] struct {
	next  []edge[T] // by place when more than few
	value T
	word  bool
	stem  bool // anything may follow: restock*
}

type edge[T any] struct {
	r  rune
	to *node[T]
}

// few edges are looked through in order.
const few = 6

func (n *node[T]) child(r rune) *node[T] {
	if len(n.next) > few {
		return place(n.next, r).to
	}
	for i := range n.next {
		if n.next[i].r == r {
			return n.next[i].to
		}
	}
	return nil
}

// placed is a table of edges for place, half empty.
func placed[T any](edges []edge[T]) []edge[T] {
	table := make([]edge[T], 1<<bits.Len(uint(2*len(edges))))
	for _, e := range edges {
		*place(table, e.r) = e
	}
	return table
}

// place is where the edge of r is in a table of open addressing, or would be.
func place[T any](table []edge[T], r rune) *edge[T] {
	const golden = 0x9e3779b9 // spreads neighbours
	for i := uint32(r) * golden >> 7; ; i++ {
		if e := &table[int(i)&(len(table)-1)]; e.to == nil || e.r == r {
			return e
		}
	}
}

// settle places the edges below n, once all words are in.
func (n *node[T]) settle() {
	for _, e := range n.next {
		e.to.settle()
	}
	if len(n.next) > few {
		n.next = placed(n.next)
	}
}

// New makes a set. Words are lower case; a Latin word ending in * is a stem.
func New[T any](words map[string]T) *Set[T] {
	var top node[T]
	for w, v := range words {
		n := &top
		for _, r := range strings.TrimSuffix(w, "*") {
			n = n.grown(r)
		}
		if n != &top {
			n.value, n.word, n.stem = v, true, strings.HasSuffix(w, "*")
		}
	}
	s := &Set[T]{}
	for _, e := range top.next {
		s.starts.add(e.r)
		e.to.settle()
	}
	s.root = placed(top.next)
	return s
}

// grown is the node that r leads to, before any is settled.
func (n *node[T]) grown(r rune) *node[T] {
	for _, e := range n.next {
		if e.r == r {
			return e.to
		}
	}
	next := &node[T]{}
	n.next = append(n.next, edge[T]{r, next})
	return next
}

// runes is a set of runes that may say yes for one that is not in it, never no for
// one that is.
type runes [64]uint64

func (s *runes) add(r rune)      { s[r>>6&63] |= 1 << (r & 63) }
func (s *runes) may(r rune) bool { return s[r>>6&63]&(1<<(r&63)) != 0 }

// Empty reports that the set has no words.
func (s *Set[T]) Empty() bool { return s.starts == runes{} }

// Longest is the length in runes of the longest word that begins at in[i], and
// its value; 0 when there is none. in is lower case.
func (s *Set[T]) Longest(in []rune, i int) (length int, value T) {
	if !s.starts.may(in[i]) {
		return 0, value
	}
	return s.longest(in, i)
}

func (s *Set[T]) longest(in []rune, i int) (length int, value T) {
	n := place(s.root, in[i]).to
	if n == nil || i > 0 && joined(in[i-1], in[i]) {
		return 0, value
	}
	for j := i; ; {
		if n.word && (n.stem || j+1 == len(in) || !joined(in[j], in[j+1])) {
			length, value = j+1-i, n.value
		}
		if j++; j == len(in) {
			return length, value
		}
		if n = n.child(in[j]); n == nil {
			return length, value
		}
	}
}

// Each calls fn for the words of in from left to right, the longest at each
// place, not overlapping, until fn returns false.
func (s *Set[T]) Each(in []rune, fn func(start, end int, value T) bool) {
	for i := 0; i < len(in); {
		n, v := s.Longest(in, i)
		if n == 0 {
			i++
			continue
		}
		if !fn(i, i+n, v) {
			return
		}
		i += n
	}
}

// joined reports whether a and b are parts of one Latin word or number.
func joined(a, b rune) bool {
	return isLetter(a) && isLetter(b) || isDigit(a) && isDigit(b)
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r == '\'' }
func isDigit(r rune) bool  { return r >= '0' && r <= '9' }

// Lower makes the lower-case runes that Longest and Each take.
func Lower(s string) []rune { return AppendLower(make([]rune, 0, len(s)), s) }

// AppendLower is Lower into out, for a caller with room of its own.
func AppendLower(out []rune, s string) []rune {
	for _, r := range s {
		if r >= 'A' && r <= 'Z' {
			r |= 0x20
		}
		if r == '’' {
			r = '\''
		}
		out = append(out, Simplified(r))
	}
	return out
}

// Words splits a table cell: words separated by |.
func Words[T any](into map[string]T, value T, cell string) {
	for _, w := range strings.Split(cell, "|") {
		if w = strings.TrimSpace(w); w != "" {
			into[w] = value
		}
	}
}

// Simplified is the simplified form of the traditional characters that viewers
// mix in; others stay.
func Simplified(r rune) rune {
	if r < 0x4e00 || !traditional.may(r) {
		return r
	}
	if s, ok := simplified[r]; ok {
		return s
	}
	return r
}

var simplified = func() map[rune]rune {
	m := map[rune]rune{}
	from, to := []rune("沒車總別氣買賣錢價貨發嗎麼這個號鏈貴碼寶媽愛謝們說對還來點開會員優運費讓裡樣種顏軟無與為東雙條塊質綠藍紅黃幾獎庫補現單禮師講時間過進認識聽見裝褲鏡臉隻試選歲搶許話樂兩機電腦級歡請問題長門書學國圖場讚贊輕適飾釦鑽鈕銀鐵鋼鍋鏟飯麵餅館魚雞鴨鵝豬羅馬鳥龍風飛頭髮膚膩腫腸臟臺灣區際陸隨險難靜預頸頻順須顯願類額領項響頁齊齡龐齒嚴麗麥鹽鬆鮮驗騙驚體變豔貝負財責敗貼貪購贏贈賺賴賽賀賞趙趕跡踐躍輪轉輸辦農連遠邊遞遲達遊違週鄉醫醬釋針鈣銷鎖錄錯鍵鐘鐲閃閉閱關陽陰陳隊階雖離雲霧靈靚韓飲養餘餓騎鬧鮑鹹黨齣傘備傳傷億儲兒內凍劃則剛創劑動務勝勞勢勵勻匯協參吳啟喚喪喬嘗團園圓圍執堅報塵墊壓壞壯聲處夠夾奪奮妝婦孫寫審導將專尋層屆岡島帥帳帶幣幫幹廠廣廚廳張強彈彎歸當從復徹恆恥悶惡愜態慮慶憂懷懶戲戰戶拋掃掛採揚換揮損搖摯擇擊擋據擔擠擬擾攜攝數敵斷昇晝暈暢曆曬業極楊樓標樞橋檔檢權欄歐歷殺氈決況淚淨淺減測湯溫準滅滲滿漢漲潔潤濕濟灑災烏熱燈燒營爐爛爭爺牆獨獲獻環瑩產畢畫異療癢盜盡監盤眾睏矯礎禍稅穩積窮競筆節範築簡籤糧糾紀約純紗紙紋細終組結絕給統絲經綜維網緊線緣編緩練縫縮繃織繡繩繪繫續纖罰習聖聞聯聰職腳膠膽艙芻華萬葉蓋蓮蔥薦薩藝藥蘋蘇蘭蝦螢蟲術衛裏製複襪襯訂計訊討記設訴詢詳該誌誇誠誤誰課調談諒論證譜譯護讀後"), []rune("没车总别气买卖钱价货发吗么这个号链贵码宝妈爱谢们说对还来点开会员优运费让里样种颜软无与为东双条块质绿蓝红黄几奖库补现单礼师讲时间过进认识听见装裤镜脸只试选岁抢许话乐两机电脑级欢请问题长门书学国图场赞赞轻适饰扣钻纽银铁钢锅铲饭面饼馆鱼鸡鸭鹅猪罗马鸟龙风飞头发肤腻肿肠脏台湾区际陆随险难静预颈频顺须显愿类额领项响页齐龄庞齿严丽麦盐松鲜验骗惊体变艳贝负财责败贴贪购赢赠赚赖赛贺赏赵赶迹践跃轮转输办农连远边递迟达游违周乡医酱释针钙销锁录错键钟镯闪闭阅关阳阴陈队阶虽离云雾灵靓韩饮养余饿骑闹鲍咸党出伞备传伤亿储儿内冻划则刚创剂动务胜劳势励匀汇协参吴启唤丧乔尝团园圆围执坚报尘垫压坏壮声处够夹夺奋妆妇孙写审导将专寻层届冈岛帅账带币帮干厂广厨厅张强弹弯归当从复彻恒耻闷恶惬态虑庆忧怀懒戏战户抛扫挂采扬换挥损摇挚择击挡据担挤拟扰携摄数敌断升昼晕畅历晒业极杨楼标枢桥档检权栏欧历杀毡决况泪净浅减测汤温准灭渗满汉涨洁润湿济洒灾乌热灯烧营炉烂争爷墙独获献环莹产毕画异疗痒盗尽监盘众困矫础祸税稳积穷竞笔节范筑简签粮纠纪约纯纱纸纹细终组结绝给统丝经综维网紧线缘编缓练缝缩绷织绣绳绘系续纤罚习圣闻联聪职脚胶胆舱刍华万叶盖莲葱荐萨艺药苹苏兰虾萤虫术卫里制复袜衬订计讯讨记设诉询详该志夸诚误谁课调谈谅论证谱译护读后")
	for i, r := range from {
		m[r] = to[i]
	}
	return m
}()

var traditional = func() (s runes) {
	for r := range simplified {
		s.add(r)
	}
	return s
}()
