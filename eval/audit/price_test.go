package audit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/eval/audit"
)

func TestPrices(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int64{
		"直播价89元":                        {8900},
		"¥89":                           {8900},
		"￥８９．５":                         {8950},
		"八十九块":                          {8900},
		"八十九块九":                         {8990},
		"89块9":                          {8990},
		"89块95":                         {8995},
		"三块五毛":                          {350},
		"5毛钱一个":                         {50},
		"两百五十元":                         {25000},
		"一千二百九十九元":                      {129900},
		"一千二块":                          {120000},
		"一百零五元":                         {10500},
		"一千零五十元":                        {105000},
		"一二九九元":                         {129900},
		"十五元":                           {1500},
		"八点八元":                          {880},
		"1.2万元":                         {1200000},
		"一万二千元":                         {1200000},
		"原价1,299.00元，现在999元":            {129900, 99900},
		"price is $19.99 today":         {1999},
		"1,299.00 dollars":              {129900},
		"it costs 89 yuan, was RMB 129": {12900, 8900},
		"US$ 5":                         {500},
		"89-129元":                       {12900, 8900},
		"89到129块":                       {12900, 8900},
		"一块钱":                           {100},
		"89块钱":                          {8900},
		"89元89元":                        {8900},
		"一块买更划算":                        nil,
		"一块儿":                           nil,
		"3号链接，库存120件":                   nil,
		"满300减50":                       nil,
		"2024款，身高165，体重50":              nil,
		"微量元素":                          nil,
		"一元素":                           nil,
		"89块3件":                         {8900},
		"89元5件":                         {8900},
		"89元5角":                         {8950},
		"89块9的那款":                       {8990},
		"89块12号链接":                      {8900},
		"8块装":                           nil,
		"这块、几块、那块":                      nil,
		"":                              nil,
		"元":                             nil,
		"¥":                             nil,
		"99999999999999999999元":         nil,
	} {
		if d := cmp.Diff(want, audit.Prices(text)); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
}

func FuzzPrices(f *testing.F) {
	f.Add("89块95，¥1,299.00，一千二百块五毛，$1万")
	f.Fuzz(func(t *testing.T, text string) {
		seen := map[int64]bool{}
		for _, fen := range audit.Prices(text) {
			if seen[fen] || fen < 0 {
				t.Errorf("%q gives %d twice or negative", text, fen)
			}
			seen[fen] = true
		}
	})
}
