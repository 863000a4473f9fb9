package cluster

import (
	"slices"

	"livehost/aggregator/intent"
)

// private reports a matter of the viewer's own: an order, its parcel, its refund, what
// fits them. Two who ask for it word for word do not ask the same. What holds for
// everybody is shared, also when one has just bought: 多久退款, 可以改地址吗, 已拍多久发货.
func private(i intent.Intent, in []rune) bool {
	if has(privateWords, in) {
		return true
	}
	switch i {
	case intent.Shipping:
		return has(owned, in) || errand(in)
	case intent.Purchase, intent.Price:
		return errand(in)
	case intent.Size: // with figures it is complete: 我120斤穿什么码
		return has(ownFit, in) && !slices.ContainsFunc(in, digit)
	default:
		return false
	}
}

// errand reports that something is to be done on the viewer's own order: it is asked
// for, or whether it may be is asked by who has bought.
func errand(in []rune) bool {
	return has(errands, in) && (has(owned, in) || has(bought, in) || !has(general, in))
}

// privateWords make it private whatever it wants.
var privateWords = list(
	"我的订单|我的快递|我的货|我的单|我的包裹|我的地址|我的会员|我的积分|我拍的|我买的|我下的|我昨天|我前天|我上次|我上周|订单号|我的还没|我那单|我退|我要退|给我退|给我发|我的呢|我的券|我的优惠|我的尺码|"+
		"快递到哪|到哪了|发了没|发货了没|发货了吗|没收到|还没收到|没到|还没发|没发货|怎么没发|咋没发|为什么没发|没退款|我的退|我的物流|退款了吗|退款了没|退款到了|退款到账了|退货收到|收到退货",
	"my order*|my package|my parcel|my refund|my tracking|my delivery|i ordered|i bought|i paid|my address|my points|my size|my account|my payment|my purchase|order number|refund me|where is mine|where's mine|wheres mine",
)

// owned is in what is asked for oneself.
var owned = list(
	"我的|我那|我这|我们这|帮我|帮忙|替我|给我改|给我换|给我取消|给我查|想退|想换",
	"mine|my|i just|can you cancel|could you cancel|please cancel",
)

// bought is said by who has.
var bought = list(
	"我付款|我付了|我拍了|我拍完|我拍好|我买了|我买完|我下单|我下了|刚拍|刚买|刚下|刚付|刚刚拍|刚刚买|刚刚下|刚刚付|已拍|已付|已下|已经拍|已经付|已经下",
	"i've ordered|i've paid|i've bought|i already",
)

// errands are done on an order.
var errands = list(
	"物流|查快递|查下快递|查一下快递|单号|查订单|查下订单|查一下订单|改地址|改一下地址|改下地址|改个地址|换地址|换个地址|地址填错|地址写错|填错地址|写错地址|改收货|改颜色|改尺码|改码|取消|退款|退货|催|备注",
	"cancel|refund|money back|tracking|wrong address|change address|change the address|change it|arrived",
)

// general is in what is asked about everybody's.
var general = list(
	"怎么|咋|如何|多久|几天|几号|多长|什么|啥|哪|能|可以|可不|支持|吗|嘛|么|?|包邮|包退|包换|运费|险|谁|规则|不喜欢|不合适|要不要|是不是|有没有|七天|7天",
	"how|where|what|which|when|policy|can|could|do you|does|is there|are there|is it|if|free|any|days",
)

// ownFit asks what fits the viewer.
var ownFit = list(
	"我穿|我能穿|我可以穿|我要穿|我该穿|我适合|我合适|我拍什么|我拍啥|我拍多大|我拍几|我买什么|我买啥|我买多大|我买几|我要什么码|我要拍什么|我选|我应该|适合我|我这种|我这身|给我推荐",
	"should i|would i|do i|am i|for me|fit me|i need|i wear|i get",
)
