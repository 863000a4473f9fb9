package quantity

// threshold reads 满300减50, 每满300元减50元, spend 300 save 50.
func (s *scan) threshold(i int) (Quantity, bool) {
	j, zh := s.has(i, "每满", "满")
	if !zh {
		var ok bool
		if j, ok = s.has(i, "spend", "orders over", "over"); !ok {
			return Quantity{}, false
		}
	}
	a, j, ok := s.amount(s.space(j))
	if !ok {
		return Quantity{}, false
	}
	for s.at(j) == ' ' || s.at(j) == ',' || s.at(j) == '，' {
		j++
	}
	j, ok = s.has(j, "立减", "可减", "可以减", "就减", "再减", "减", "省", "save", "get", "take")
	if !ok {
		return Quantity{}, false
	}
	b, end, ok := s.amount(s.space(j))
	return Quantity{Kind: Threshold, Lo: a, Hi: b, End: end}, ok
}

// amount reads a number with or without a currency.
func (s *scan) amount(i int) (value int64, end int, ok bool) {
	if j, cur := s.has(i, currencies...); cur {
		i = s.space(j)
	}
	n, ok := s.number(i)
	if !ok {
		return 0, i, false
	}
	end = n.end
	if j, cur := s.has(s.space(end), moneyUnits...); cur {
		end = j
	}
	return n.value, end, true
}

// nth reads 第二件半价, 第2件8折, second item half price.
func (s *scan) nth(i int) (Quantity, bool) {
	var n int64
	j, zh := s.has(i, "第")
	if zh {
		num, ok := (&scan{s.text[min(j, len(s.text)):]}).number(0)
		if !ok {
			return Quantity{}, false
		}
		n, j = num.value, j+num.end
	} else {
		var ok bool
		for k, w := range []string{"second", "third", "2nd", "3rd"} {
			if j, ok = s.has(i, w); ok {
				n = int64(2+k%2) * scale
				break
			}
		}
		if !ok || isLower(s.at(i-1)) {
			return Quantity{}, false
		}
	}
	j, _ = s.has(s.space(j), "件", "个", "双", "条", "套", "瓶", "盒", "支", "只", "item", "piece", "one", "pair")
	j, _ = s.has(s.space(j), "打", "at", "is")
	share, end, ok := s.share(s.space(j))
	return Quantity{Kind: Nth, Lo: n, Hi: share, End: end}, ok
}

// share reads 半价, 八折, half price, 20% off as the share to pay.
func (s *scan) share(i int) (value int64, end int, ok bool) {
	if j, half := s.has(i, "半价", "half price", "half-price", "half off"); half {
		return scale / 2, j, true
	}
	n, ok := s.number(i)
	if !ok {
		return 0, i, false
	}
	return s.shareOf(n)
}

func (s *scan) shareOf(n number) (value int64, end int, ok bool) {
	if j, zhe := s.has(n.end, "折"); zhe {
		v := n.value / 10
		if n.value >= 10*scale { // 85折, 八五折
			v = n.value / 100
		}
		return v, j, v > 0 && v < scale
	}
	j := s.space(n.end)
	if k, pct := s.has(j, "%", "percent"); pct {
		if k, off := s.has(s.space(k), "off"); off && n.value >= scale && n.value < 100*scale {
			return scale - n.value/100, k, true
		}
	}
	return 0, n.end, false
}

// buyGet reads 买一送一, buy one get one.
func (s *scan) buyGet(i int) (Quantity, bool) {
	j, ok := s.has(i, "买", "拍", "buy")
	if !ok {
		return Quantity{}, false
	}
	a, ok := s.number(s.space(j))
	if !ok {
		return Quantity{}, false
	}
	j, _ = s.has(a.end, "件", "个", "双")
	if s.at(j) == ',' || s.at(j) == '，' {
		j++
	}
	j, ok = s.has(s.space(j), "送", "发", "赠", "得", "get")
	if !ok {
		return Quantity{}, false
	}
	b, ok := s.number(s.space(j))
	return Quantity{Kind: BuyGet, Lo: a.value, Hi: b.value, End: b.end}, ok
}

// hundredths reads 百分之二十.
func (s *scan) hundredths(i int) (Quantity, bool) {
	j, ok := s.has(i, "百分之")
	if !ok {
		return Quantity{}, false
	}
	// the numeral stands behind 之, so nothing before it matters
	n, ok := (&scan{s.text[min(j, len(s.text)):]}).number(0)
	return Quantity{Kind: Percent, Lo: n.value, Hi: n.value, End: j + n.end}, ok
}

func (s *scan) halfPrice(i int) (Quantity, bool) {
	j, ok := s.has(i, "半价", "对折", "便宜一半", "省一半", "half price", "half the price", "half-price", "half off")
	return Quantity{Kind: Discount, Lo: scale / 2, Hi: scale / 2, End: j}, ok
}
