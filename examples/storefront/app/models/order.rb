# frozen_string_literal: true

class Order < ApplicationRecord
  belongs_to :customer
  has_many :line_items

  def total_cents = line_items.sum { |item| item.quantity * item.product.price_cents }
end
