// Package quantity reads the numbers of Chinese and English shop talk: prices,
// discounts, promotions, stock, periods, measures, link numbers.
//
// It owns turning text into comparable values (八十九块 = 89元 = ¥89.00, 48小时 =
// 2天, 85折 = 15% off). It does not judge whether a value is true (guardrail).
//
// Invariants: values are exact (thousandths in int64); reading never panics and
// never reports a span outside the text; what String writes is read back as the
// same kind and value. Chinese numerals and English number words count only with
// a unit or in a pattern (一下, 千万, "this one" are not numbers); digits always do.
package quantity
