package commerce

import (
	"testing"

	"livehost/harness"
	"livehost/harness/harnesstest"
	"livehost/streams/event"
)

// TestSearch: the link found first, "" for what the room does not have.
func TestSearch(t *testing.T) {
	t.Parallel()
	x := newSearchIndex(harnesstest.Catalog(t))
	for query, want := range map[string]string{
		// by what it is
		"面霜": "1", "有没有面霜": "1", "有没有控油面霜": "1", "面霜有吗": "1", "请问主播有面霜卖吗？": "1", "想买面霜": "1",
		"身体乳": "2", "T恤": "3", "t恤": "3", "白Ｔ": "3", "白色T恤": "3", "跑步鞋": "4", "运动鞋": "4",
		"耳机": "5", "无线耳机": "5", "蓝牙耳机多少钱": "5", "充电宝": "6", "牛肉干": "7", "有牛肉干不": "7", "虾仁": "8", "有虾吗": "8",
		"do you have face cream": "1", "any earbuds?": "5", "power banks": "6", "I want to buy running shoes": "4", "shrimp": "8",
		// by category, brand, everyday word
		"护肤品": "1", "衣服": "3", "有鞋吗": "4", "零食": "7", "any snacks": "7", "晨屿": "1", "晨屿的身体乳": "2", "Isle cream": "1",
		// by need
		"适合油皮的": "1", "适合油皮的面霜": "1", "有没有适合干皮的": "2", "anything for dry skin": "2", "something for oily skin": "1",
		"可以带上飞机的充电宝": "6", "纯棉的": "3", "有栀子花香的吗": "2",
		// for whom, by height
		"T恤160": "3", "175的T恤": "3",
		// not in this room, though something like it is
		"人参面霜": "", "含酒精的面霜": "", "男士面霜": "", "眼霜": "", "护手霜": "", "eye cream": "", "面膜": "",
		"手机": "", "手机壳": "", "耳机壳": "", "有线耳机": "", "蓝牙音箱": "", "黑科技": "", "充电器": "",
		"儿童鞋": "", "拖鞋": "", "女鞋": "", "棉袄": "", "牛肉面": "", "鲜牛肉": "", "小龙虾": "", "虾条": "",
		"牛肉": "", "有控油吗": "", "running": "", "枕头": "", "燕窝": "", "茅台": "", "iphone": "", "body wash": "", "do you have saucepans": "", "防水的耳机": "", "15的T恤": "",
		// nothing is asked for
		"有没有": "", "？？": "", "": "", "多少钱": "", "do you have any": "", "165": "",
	} {
		got := ""
		if found := x.find(query, func(*harness.Product) bool { return true }); len(found) > 0 {
			got = string(found[0].LinkID)
		}
		if got != want {
			t.Errorf("find(%q) = link %q, want %q", query, got, want)
		}
	}
}

func TestSearchLeavesOutDelisted(t *testing.T) {
	t.Parallel()
	x := newSearchIndex(harnesstest.Catalog(t))
	if found := x.find("面霜", func(p *harness.Product) bool { return p.LinkID != "1" }); len(found) != 0 {
		t.Errorf("found %v though the only one is not listed", found[0].Name)
	}
}

func TestFindAttribute(t *testing.T) {
	t.Parallel()
	c := harnesstest.Catalog(t)
	for _, tt := range []struct{ link, question, want string }{
		{"1", "适合什么肤质", "适用肤质"},
		{"1", "油皮能用吗", "适用肤质"},
		{"1", "干皮能用吗", "适用肤质"},
		{"1", "什么成分", "成分"},
		{"1", "含酒精吗", "是否含酒精"},
		{"1", "哪里产的", "产地"},
		{"1", "怎么用", "使用方法"},
		{"1", "what skin type is it for", "适用肤质"},
		{"1", "is there alcohol in it", "是否含酒精"},
		{"1", "保质期多久", ""},
		{"1", "机洗可以吗", ""},
		{"3", "是纯棉的吗", "材质"},
		{"3", "什么面料", "材质"},
		{"3", "what is it made of", "材质"},
		{"3", "厚不厚", "厚薄"},
		{"4", "多重", "重量"},
		{"5", "续航多久", "续航"},
		{"5", "防水吗", "防水"},
		{"5", "is it waterproof", "防水"},
		{"7", "辣吗", "辣度"},
		{"7", "辣度怎么样", "辣度"},
		{"7", "什么口味", "口味"},
		{"6", "能带上飞机吗", ""},
	} {
		p, ok := c.ByLink(event.LinkID(tt.link))
		if !ok {
			t.Fatal(tt.link)
		}
		got := ""
		if i, ok := findAttribute(p, tt.question); ok {
			got = p.Attributes[i].Key
		}
		if got != tt.want {
			t.Errorf("link %s, %q: attribute %q, want %q", tt.link, tt.question, got, tt.want)
		}
	}
}

// TestSimilar: the link of the same kind for what the room does not have.
func TestColoursOnly(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{"紫色": true, "粉的": true, "the pink one": true, "金色": true, "黄金": false, "有白金吗": false, "白色T恤": false, "": false} {
		if got := coloursOnly(query); got != want {
			t.Errorf("coloursOnly(%q) = %v", query, got)
		}
	}
}

func TestSimilar(t *testing.T) {
	t.Parallel()
	x := newSearchIndex(harnesstest.Catalog(t))
	for query, want := range map[string]string{
		"人参面霜": "1", "有人参面霜吗": "1", "男士面霜有没有": "1", "有线耳机": "5", "儿童T恤": "3",
		"手机壳": "", "耳机壳": "", "小龙虾": "", "冰鞋": "", "dog snacks": "", "冰箱": "", "有没有": "", "": "",
	} {
		got := ""
		if p := x.similar(query, func(*harness.Product) bool { return true }); p != nil {
			got = string(p.LinkID)
		}
		if got != want {
			t.Errorf("similar(%q) = link %q, want %q", query, got, want)
		}
	}
}
