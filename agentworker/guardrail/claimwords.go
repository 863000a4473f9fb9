package guardrail

// neverSaid are superlatives and guarantees that advertising law or the house
// forbids, whatever the facts are.
const neverSaid = `
最 卖得最好 卖的最好 做得最好 做的最好 性价比最 性价比之 性价比第一 性价比无敌 一流 顶呱呱 第一梯队 找不到第二 找不到比 史无前例 前所未有 销冠 领先 领导品牌 领军 无可挑剔 完美无缺 完美无瑕 谁用谁说好 闭着眼 拍胸脯 拍着胸脯 首屈一指 数一数二 打骨折 跳楼 清仓价
没有之一 之王 之冠 天花板 碾压 吊打 封神 无敌 神仙水准 打遍 秒杀一切 独步 冠军品质
yyds
second to no one
like no other
最便宜 最低价 最低 最佳 最优惠 最优 最划算 最强 最棒 最高级 最先进 最新鲜 最正宗 最实惠 最靠谱 最安全 最畅销 最火爆 最火 最顶级 最值得 最值 最大牌 最专业 最权威 最受欢迎 最牛 最狠 最懂
最好的 最好用 最好吃 最好看 最好穿 最好喝 最好卖 最好了 质量最好 效果最好 品质最好 做工最好 口碑最好 面料最好 服务最好
全网最 全网第一 全网独家 全网首发 全网唯一 史上 历史最低 历史新低 历史低价 地板价 骨折价 跳楼价 破价 全国第一 世界第一 行业第一 销量第一 国内第一 亚洲第一 第一品牌 第一名 遥遥领先 无人能及 无与伦比
独一无二 绝无仅有 国家级 世界级 宇宙级 顶级 顶尖 极品 极致 王牌 万能 百分百 百分之百 绝对 绝版 绝不 绝佳 肯定不会 肯定能 肯定可以 肯定有效 肯定到 肯定合适 肯定没问题 一定能到 一定合适 一定有效 一定不会 一定瘦 一定白
保证 担保 打包票 我保 保你 保您 包你 包您 包治 包好 包瘦 包过 包满意 包教包会 包不掉色 包正 永久 永不 永远不 根治 祖传 神器 神药 零风险 无风险 无副作用 没有副作用 零添加害 稳赚 升值 保值 假一赔 假一罚十 无效退款 不满意全退
秒杀全网 买不了吃亏 闭眼入 闭眼买 唯一 首选 必买 全球首 中国第一 国家免检 质量免检 驰名商标 特供 专供 国宴 纯天然无 100%有效 100%安全 100%不 百分百正品
明天涨价 马上涨价 就要涨价 要涨价 不会降价 不会再降 再也没有 以后没有这个价 错过没有 错过就没 过了今天就没 最后一天 最后机会 仅此一次 亏本 赔钱卖 亏钱 不赚钱 成本价 出厂价 内部价 员工价
best price
best prices
best quality
best deal
best deals
best ever
best in
best on the market
best value
best choice
the best
the cheapest
the lowest
the finest
the greatest
cheapest
lowest price
lowest prices
cheapest price
lowest ever
number one
no. 1
no.1
#1
guarantee
guaranteed
guarantees
i promise
we promise
promise you
promised
100% safe
100% effective
100% satisfaction
100% guaranteed
100% money back
100% authentic
forever
permanent
permanently
risk-free
risk free
miracle
no side effects
without side effects
world's best
world's first
world leading
world-class
unbeatable
second to none
once in a lifetime
last chance
never fade
never fades
never break
never breaks
never shrink
never shrinks
never lose
never rips
will definitely
definitely fit
definitely arrive
definitely work
price will go up
prices will go up
price goes up
selling at a loss
below cost
perfect for everyone
flawless
`

// otherShops are comparisons with shops and platforms by name.
const otherShops = `
比淘宝 比京东 比拼多多 比抖音 比快手 比天猫 比亚马逊 比小红书 比别家 比别人家 比隔壁 比专柜 比实体店 比官网 比超市 去淘宝 去京东 去拼多多 去快手 去抖音 去天猫 去别家 去隔壁
淘宝贵 京东贵 天猫贵 淘宝便宜 拼多多便宜 拼多多更 淘宝更 京东更 淘宝店 京东店 拼多多店 别家都 别家的 其他家都
cheaper than amazon
cheaper than temu
cheaper than shein
cheaper than walmart
cheaper than ebay
cheaper than anywhere
cheaper than other
cheaper than in stores
cheaper than in store
cheaper than the
better than amazon
better than other brands
better than any other
buy it on amazon
buy on amazon
go to amazon
`

// medical are effects that nothing sold here may be said to have.
const medical = `
抵抗力 免疫力 睡得香 睡得好 睡得更 润肺 润喉 护嗓 美容养颜 暖宫
降低血糖 降低血压 降低血脂 控血糖 控糖 控血压 稳血糖 稳定血糖 平稳血糖 不升血糖 不升糖 不涨血糖 软化血管 疏通血管 清血管 降胆固醇 降尿酸 抗炎 退黄疸 止血止痛 去湿气 除湿气 治痘 治咳 治失眠 治便秘 治鼻炎 治脚气 治湿疹 治颈椎 治腰 治病 包治百病 三天瘦 一周瘦 一个月瘦 躺瘦 暴瘦 月瘦 天见效 周见效 天就见效 周就见效 天起效 月见效 一次见效 不伤身 补气 补气血 补肝 补脾 滋阴 壮骨 抗辐射 防感冒 治感冒 改善体质 改善便秘 调理身体 调理肠胃
治疗 治好 治愈 主治 能治 可治 医治 疗效 药效 药用 药到病除 消炎 消肿 止痛 止咳 化痰 止血 退烧 杀菌率 降血压 降血糖 降血脂 降三高 降压 降糖 降脂 抗癌 防癌 抗肿瘤 抗病毒 防病 减肥 瘦身 瘦脸 瘦腿 燃脂 刷脂 掉秤 减脂 丰胸 壮阳 补肾 增高 长高 生发 防脱 治脱发 活血 化瘀 祛湿 排毒 解毒 养胃 护肝 养肝 护胃 补血 调经 通便 润肠 明目 改善睡眠 助眠 安神 增强免疫 提高免疫 提升免疫 延年益寿 预防感冒 预防疾病 缓解疼痛 缓解关节 缓解失眠 代替药 替代药 医生推荐 专家推荐 医院同款 临床验证 临床证明 三天见效 七天见效 一周见效 立刻见效 快速见效 立竿见影 速效 当天见效 孕妇放心 孕妇可以用 孕妇能用 婴儿可吃
cure
cures
cured
heal
heals
treats acne
treats eczema
treats pain
treats insomnia
treats diabetes
treats disease
treat acne
treat eczema
treat pain
treat insomnia
treat diabetes
treat disease
treats your
lose weight
weight loss
lose fat
burn fat
burns fat
fat burning
fat-burning
slimming
detox
detoxes
lowers cholesterol
boosts immunity
boost immunity
boosts your immunity
boost your immune
improves sleep
helps you sleep
relieves pain
pain relief
anti-inflammatory
doctor recommended
doctors recommend
dermatologist recommended
clinically proven
clinically tested
prevents disease
prevents hair loss
hair regrowth
regrow hair
medicinal
safe for pregnancy
lowers blood sugar
lower blood sugar
lowers your blood sugar
lowers blood pressure
lower blood pressure
lowers your blood pressure
good for diabetes
controls blood sugar
clears acne
clear acne
clear up acne
clears up acne
gets rid of acne
removes acne
works in days
results in a week
results in 7 days
safe for diabetics
soothes
sore throat
immune system
relieves cough
good for a cough
heals acne
treats acne scars
safe during pregnancy
`

// efficacy are effects of cosmetics that the product's own facts must state.
const efficacy = `
不会过敏 不过敏 零过敏 零刺激 不刺激 无刺激 祛痘印 去痘印 去痘 痘痘全消 痘痘没了 去皱 去黑 去黄 提亮肤色 变年轻 逆龄 冻龄 紧肤 嫩肤 焕肤 减龄 生肌 白了一圈 白两度 白一圈 白回来 消除细纹 淡化细纹 细纹没了 淡化斑点 去斑 去眼袋 去黑眼圈 修复敏感
美白 祛斑 淡斑 祛痘 淡印 抗衰 抗老 抗皱 除皱 淡纹 抗氧化 紧致 提拉 修复屏障 去屑 抑菌 抗菌 除菌 杀菌 除螨 防蛀 防晒 控油 收缩毛孔 去黑头 变白 白一度 年轻十岁 童颜
anti-aging
anti-ageing
anti-wrinkle
wrinkles
whitening
whitens
brightening
antibacterial
kills bacteria
sun protection
firming
non-irritating
no irritation
won't irritate
hypoallergenic formula
fades dark spots
fades spots
removes wrinkles
reduces wrinkles
lightens skin
brightens skin
brightens your skin
`

// promises are statements on delivery, returns, material and origin that a result
// or a fact must hold.
const promises = `
全场包邮 所有订单 每单 无门槛 不限金额 不满意退 双倍 三倍退款 赔三倍 赔十倍 赔您 赔你 赔钱
every order=every order|all orders
all orders=every order|all orders
any order
no minimum
double your money
refund double
triple your money
free hat=gift|free hat
free sample=sample|gift
free samples=sample|gift
free item=gift
free product=gift
100% 100%纯棉=纯棉|100%棉|棉100 100%棉=100%棉|纯棉|棉100
随时可退 随时能退 随时都能退 终身 包退 包换 包赔 赠送=赠|买一送|送一|再送|加送|附送|gift 加赠=赠|买一送|送一|再送|加送|附送|gift 买赠=赠|买一送|送一|再送|加送|附送|gift 附赠=赠|买一送|送一|再送|加送|附送|gift 送您=赠|买一送|送一|再送|加送|附送|gift 送你=赠|买一送|送一|再送|加送|附送|gift 送给您=赠|买一送|送一|再送|加送|附送|gift 送给你=赠|买一送|送一|再送|加送|附送|gift 送一=送一|赠 就送=赠|买一送|送一|再送|加送|附送|gift 送小样=小样 送礼品=礼品|赠 送赠品=赠|买一送|送一|再送|加送|附送|gift 有赠品=赠|买一送|送一|再送|加送|附送|gift 再送=赠|买一送|送一|再送|加送|附送|gift 还送=赠|买一送|送一|再送|加送|附送|gift 都送=赠|买一送|送一|再送|加送|附送|gift 免费 免单 包邮=包邮|免运费|运费0|邮费0|免邮 免邮=包邮|免邮|免运费 免运费=包邮|免运费|免邮 全国包邮 运费险 无理由 随便退 随时退 免费退=免费退|运费险 全额退款 退差价 补差价 价保 保价 质保=质保|保修|warranty 保修=保修|质保|warranty 延保 正品 假一罚 以旧换新 上门取件=上门取件|上门取 上门安装 极速退款 秒退 先行赔付 只换不修
当天发=当天发|当日发 当日发=当天发|当日发 今天发=今天发|当天发|当日发 今天就发=今天发|当天发|当日发 今晚发=今晚发|今天发|当天发 马上发货 马上就发 立刻发货 立马发货 现在就发 下单就发 拍下就发 秒发 次日达 隔日达 当日达 明天到 明天就到 明天就能到 明天能到 后天到 后天就到 后天能到 今天到 今天就到 今天能到 顺丰 空运 加急
防水 防油 防泼水 阻燃 防静电 不掉色 不褪色 不起球 不缩水 不变形 不粘锅=不粘 耐高温 有机 医用 医用级 食品级 进口 原装 纯棉 真皮 头层牛皮=头层牛皮|牛皮 纯银 纯金 足金 无糖 0糖=无糖|0糖 无添加 零添加=零添加|无添加 零脂 0脂=0脂|零脂 无酒精 无香精 不含酒精=不含酒精|无酒精 不含激素 无激素 纯天然 天然无 纯手工 手工 羊绒 真丝 桑蚕丝 国产 德国 日本制 意大利 法国
free shipping=free shipping|free delivery|ships free|包邮
free delivery=free shipping|free delivery|包邮
ships free=free shipping|free delivery|ships free|包邮
free gift=gift|赠|买一送|送一
free gifts=gift|赠|买一送|送一
free return=free return|运费险
free returns=free return|运费险
for free=free|免费
lifetime
warranty=warranty|质保|保修
full refund=full refund|全额退款
money-back
money back
authentic=authentic|genuine|正品
genuine=genuine|authentic|正品|真皮
price match
same-day
same day
next-day
next day
overnight
arrives tomorrow
arrive tomorrow
there tomorrow
delivered tomorrow
ships today=ships today|same day|same-day
ship today=ships today|same day|same-day
ships right away
ship immediately
ships immediately
waterproof=waterproof|water-resistant|防水
water-repellent
water repellent=water-repellent|water repellent
water-resistant=water-resistant|waterproof
water resistant=water-resistant|water resistant|waterproof
stain-proof
non-stick
organic=organic|有机
hypoallergenic
medical grade
food grade=food grade|food-grade|食品级
imported=imported|进口
handmade=handmade|hand-made|手工
cashmere=cashmere|羊绒
pure cotton=cotton|棉
100% cotton=100% cotton|cotton 100|pure cotton|纯棉|棉100
real leather=leather|真皮
sugar-free=sugar-free|sugar free|无糖
sugar free=sugar-free|sugar free|无糖
all natural
all-natural
no additives
made in italy
made in japan
made in germany
made in france
`

// offers are statements that there is some offer, without saying which.
const offers = `
立减 专属福利 粉丝福利 专享价 粉丝价 有福利
有优惠 有活动 有折扣 做活动 搞活动 在促销 打折 特价 秒杀 限时 清仓 有券 领券 发券 发红包 抢红包 有红包 返现 抽奖 福利价 买赠活动 活动价
on sale
discounted
special offer
limited time
limited-time
flash sale
coupon for you
clearance
`

// storeClaims are statements about the shop itself.
const storeClaims = `
官方旗舰 旗舰店 官方授权 品牌授权 官方认证 品牌直供 厂家直销 工厂直供 源头工厂 皇冠店 金牌卖家 百年 老字号 万人回购 回购率 好评率 零差评 百万销量 销量过 销量突破 卖爆了 爆款 明星同款 网红同款 专柜同款 大牌同款 同厂 代工 平替 专利 质检报告 检测报告 获奖 央视 国家认证 官方背书 热销
official store=official|官方|旗舰
official shop=official|官方|旗舰
authorized dealer=authorized|授权
authorised dealer=authorised|authorized|授权
factory direct
award-winning
award winning
patented=patent|专利
best-seller
best seller
bestseller
best-selling
as seen on
celebrity
`

// harmless hold one of the phrases above and say nothing of the kind.
const harmless = `
哪款最 哪个最 哪种最 哪条最 哪件最 过不过敏 会不会过敏 叠加防晒 做好防晒 注意防晒 涂防晒 配合防晒 搭配防晒 防晒产品 记得防晒
最近 最后 最大 最小 最多 最少 最长 最短 最晚 最迟 最早 最快 最新 最初 最终 最好 最里 最外 最上 最下 最前 最左 最右 最中间 最主要 最重要 最关键 最常 最适合 最合适 最基本 最基础 最简单 最直接 最准 最稳妥 最保险 最喜欢 最爱 最贵 最靠 最普通 最明显 最怕 最不 最忌 最想 最关心 最在意 最需要 最方便 最省事 最清楚 最全 最高温 最高可 最高水位 最高支持 最高能 最高到 最高档
最低消费 最低起订 最低温度 最低配 最低水位 史上线 绝对值 保证金 永久地址 唯一编号 保质期 保质 包装 包好了给 打包好
领券入口 领券中心 领券的地方 领券位置 最好用冷水 最好用温水 最好用清水 最好用手 最好用干 最好用湿 最好用软 最好用中性 最好用凉水 最好用专用 最好看一下 最好看看 最好看下 最好看尺码 最好穿一 最好穿薄 最好穿防 最好吃完饭 最好的办法 最好的方法 最好的选择是
第一名单 首选项 手工费 手工皂盒 免费用户 百年好合 送你家 送您家 送你手 送您手 送你那 送您那 送你这
有活动的话 有活动会 有优惠会 有优惠的话 如有优惠 有券的话 限时间 打折扣
不保证 无法保证 不能保证 抗氧化剂 防晒衣 防晒帽 防晒霜 防晒伞 防晒袖 防晒乳 防晒喷雾 防晒服 防晒口罩 爆款单
法国梧桐 日本制造局 德国队
link number one
the best way to
best before
best regards
all the best
the best thing to do
the best person to
the best place to
best to
best if
promise date
no. 10
no. 11
no. 12
no. 13
no. 14
no. 15
no. 16
no. 17
no. 18
no. 19
no.10
no.11
no.12
#10
#11
#12
#13
#14
#15
#16
#17
#18
#19
`

// deniesNothing are turns of speech that hold a denial which is not of what follows
// them: 别错过全网最低价, 不满意全额退款.
const deniesNothing = `
不但 不仅 不光 不只 不错 不用担心 没想到 没问题 没错 未来 无论 不管 不愧 不止 不过 不然 不论 不少 不同 不一样 不断 不单 不得了 差不多 好不容易 没得说 没话说 没毛病 别的 别人 别家
别错过 不要错过 不容错过 不可错过 别犹豫 不要犹豫 不用犹豫 别等 不用等 不要等 别担心 不要担心 别怕 不用怕 别急 不要急 别着急 不用着急 别纠结 不用纠结 不用想 别想 不用凑 不用抢 别忘 不要忘
不多说 不废话 不啰嗦 不玩虚的 不玩套路 没有套路 没套路 不用多说 不骗人 不忽悠 不信
不满意 不喜欢 不合适 不合身 不合脚 不好用 不好吃 不好看 不想要 不想穿 不划算 不开心 不后悔 没收到
no problem
no doubt
no worries
no wonder
no tricks
no joke
no kidding
no strings
no risk
no other
not only
not just
not merely
not happy
not satisfied
don't miss
don't worry
don't wait
don't forget
don't like
don't love
doesn't fit
doesn't work
can't beat
can't wait
can't go wrong
`
