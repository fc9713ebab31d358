# frozen_string_literal: true

# What customers look at.
class OrdersController < ActionController::Base
  LINES = 200
  DATABASE_S = 0.02

  def show
    sleep(DATABASE_S)
    number = params.expect(:id).to_i
    render json: Array.new(LINES) { |line| {line:, product: "Product #{number + line}", cents: 99 * line} }
  end
end
