package quantity

import (
	"strconv"
	"strings"
)

// Kind is what a number is about.
type Kind int

// The kinds. Lo and Hi of a Quantity mean what the comment says; a single value
// has Lo = Hi.
const (
	Plain     Kind = iota + 1 // a bare number
	Money                     // yuan
	Discount                  // share to pay: 0.8 for 八折 and 20% off
	Percent                   // percent
	Threshold                 // 满Lo减Hi
	Multi                     // Lo pieces for the share Hi: 两件八折
	Nth                       // the Lo-th piece for the share Hi: 第二件半价
	BuyGet                    // 买Lo送Hi
	Count                     // pieces
	Stock                     // pieces that are left
	Duration                  // minutes
	Length                    // millimetres
	Weight                    // grams
	Volume                    // millilitres
	Link                      // a link number
)

// scale is the number of units of Lo and Hi in one.
const scale = 1000

// Quantity is one number of a text, or a range, or a promotion of two numbers.
type Quantity struct {
	Kind       Kind
	Lo, Hi     int64  // thousandths
	Text       string // as it stands in the text
	Start, End int    // rune offsets
}

// Same reports whether two quantities say the same.
func (q Quantity) Same(o Quantity) bool { return q.Kind == o.Kind && q.Lo == o.Lo && q.Hi == o.Hi }

// Of is a single value of the kind, in whole units.
func Of(kind Kind, units int64) Quantity {
	return Quantity{Kind: kind, Lo: units * scale, Hi: units * scale}
}

// Fen is an amount of money given in fen.
func Fen(fen int64) Quantity {
	return Quantity{Kind: Money, Lo: fen * scale / 100, Hi: fen * scale / 100}
}

// units writes a kind so that Read knows it again.
var units = map[Kind]string{
	Money: "元", Percent: "%", Count: "件", Duration: "分钟", Length: "毫米", Weight: "克", Volume: "毫升", Link: "号链接",
}

// String is the canonical text of the quantity.
func (q Quantity) String() string {
	lo, hi := decimal(q.Lo), decimal(q.Hi)
	switch q.Kind {
	case Discount:
		return decimal(q.Lo*10) + "折"
	case Threshold:
		return "满" + lo + "减" + hi
	case Multi:
		return lo + "件" + decimal(q.Hi*10) + "折"
	case Nth:
		return "第" + lo + "件" + decimal(q.Hi*10) + "折"
	case BuyGet:
		return "买" + lo + "送" + hi
	case Stock:
		lo = "剩" + lo
		if q.Lo != q.Hi {
			return lo + "~" + hi + "件"
		}
		return lo + "件"
	}
	if q.Lo != q.Hi {
		lo += "~" + hi
	}
	return lo + units[q.Kind]
}

func decimal(milli int64) string {
	s := strconv.FormatInt(milli/scale, 10)
	if frac := milli % scale; frac != 0 {
		s += "." + strings.TrimRight(strconv.FormatInt(scale+frac, 10)[1:], "0")
	}
	return s
}
