package intent

import "slices"

// Intent is what a danmaku wants.
type Intent string

// The intents.
const (
	Product    Intent = "product"
	Size       Intent = "size"
	Price      Intent = "price" // and stock
	Purchase   Intent = "purchase"
	Shipping   Intent = "shipping" // and after-sales
	Membership Intent = "membership"
	Identity   Intent = "identity"
	Complaint  Intent = "complaint"
	Praise     Intent = "praise"
	Greeting   Intent = "greeting"
	LowInfo    Intent = "low_info"
)

// order is that of the model's outputs.
var order = [classes]Intent{Product, Size, Price, Purchase, Shipping, Membership, Identity, Complaint, Praise, Greeting, LowInfo}

const classes = 11

// All lists the intents.
func All() []Intent { return slices.Clone(order[:]) }
