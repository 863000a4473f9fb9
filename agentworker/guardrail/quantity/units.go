package quantity

import "strings"

// unit is what may follow a number, and how many of the kind's unit it is.
type unit struct {
	kind     Kind
	num, den int64
	words    []string
}

var pieces = strings.Fields("件 个 双 只 条 套 盒 瓶 包 支 台 份 箱 袋 对 顶 本 把 张 单 位 款 罐 块装 组 枚 片 pieces piece pcs units unit pairs pair items item sets set boxes bottles")

// unitTable is tried from the top; a word that begins another stands after it.
var unitTable = []unit{
	{Link, 1, 1, strings.Fields("号链接 号链 号商品 号宝贝 号品 号款 号 链接")},
	{Duration, 30 * 1440, 1, strings.Fields("个月 个多月 months month")},
	{Duration, 60, 1, strings.Fields("个小时 小时 个钟头 hours hour hrs hr h")},
	{Duration, 1, 1, strings.Fields("分钟 minutes minute mins min")},
	{Duration, 7 * 1440, 1, strings.Fields("个星期 星期 周 weeks week")},
	{Duration, 365 * 1440, 1, strings.Fields("年 years year")},
	{Duration, 1440, 1, append(strings.Fields("个工作日 工作日 天 日 days day"), "business days", "business day", "working days")},
	{Length, 1, 1, strings.Fields("毫米 mm")},
	{Length, 10, 1, strings.Fields("厘米 公分 cm")},
	{Weight, 1000, 1, strings.Fields("公斤 千克 kg")},
	{Weight, 500, 1, strings.Fields("斤")},
	{Weight, 1, 1, strings.Fields("克 g")},
	{Volume, 1, 1, strings.Fields("毫升 ml")},
	{Volume, 1000, 1, strings.Fields("升 l")},
	{Length, 1000, 1, strings.Fields("米 m")},
	{Money, 1, 1, moneyUnits},
	{Money, 1, 10, strings.Fields("毛钱 毛 角")},
	{Money, 1, 100, strings.Fields("分钱")},
	{Percent, 1, 1, strings.Fields("% percent")},
	{Count, 1, 1, pieces},
}

func convert(v int64, u unit) int64 { return mul(v, u.num) / u.den }

// amountWords before a bare number make it money, stockWords a stock; suffixes
// say the same in English.
var (
	amountWords = []string{"立减", "直降", "直减", "优惠", "到手价", "到手", "价格", "售价", "只要", "仅需", "券后", "省", "价", "price is", "priced at", "costs", "cost"}
	stockWords  = []string{"还剩", "只剩", "仅剩", "剩下", "剩余", "剩", "库存", "还有", "仅有", "最后", "只有", "不到", "only"}
	stockAfter  = []string{"left", "in stock", "remaining", "available", "现货", "库存", "left in stock"}
)
