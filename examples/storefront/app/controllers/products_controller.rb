# frozen_string_literal: true

# A small JSON answer: one query, little of anything.
class ProductsController < ApplicationController
  def index
    render json: Product.order(:id).limit(20).pluck(:id, :name, :price_cents)
  end
end
