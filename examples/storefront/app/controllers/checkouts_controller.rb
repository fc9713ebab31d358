# frozen_string_literal: true

# Writes, and fails for every tenth basket.
class CheckoutsController < ApplicationController
  PaymentDeclined = Class.new(StandardError)

  def create
    basket = params[:id].to_i
    raise PaymentDeclined, "basket #{basket}" if (basket % 10).zero?
    render json: {order: place(basket).id}, status: :created
  end

  private

  def place(basket)
    Order.transaction do
      Order.create!(customer_id: basket % 100 + 1, placed_on: Date.new(2026, 11, 1)).tap do |order|
        order.line_items.create!(product_id: basket % 200 + 1, quantity: 1)
      end
    end
  end
end
