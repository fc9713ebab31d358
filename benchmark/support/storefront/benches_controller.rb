# frozen_string_literal: true

# A request as an API has many: a few rows by id, and a little JSON.
class BenchesController < ApplicationController
  def show
    render json: Array.new(Bench::Storefront::QUERIES) { |index| Product.find(index + 1).name }
  end
end
