# frozen_string_literal: true

# Deterministic: every run measures the same shop.
random = Random.new(8_1)
categories = %w[books garden kitchen music office sports tools toys]

unless Product.exists?
  Product.insert_all((1..200).map { |id|
    {
      id:,
      name: "Product #{id}",
      price_cents: random.rand(199..19_999),
      category: categories[id % 8]
    }
  })
  Customer.insert_all((1..100).map { |id| {id:, name: "Customer #{id}"} })
  Order.insert_all((1..600).map { |id|
    {
      id:,
      customer_id: random.rand(1..100),
      placed_on: Date.new(2026, 1, 1) + random.rand(365)
    }
  })
  LineItem.insert_all((1..6_000).map { |id|
    {
      id:,
      order_id: (id - 1) / 10 + 1,
      product_id: random.rand(1..200),
      quantity: random.rand(1..5)
    }
  })
  StockLevel.insert_all((1..200).map { |id| {product_id: id, on_hand: random.rand(0..500)} })
end
