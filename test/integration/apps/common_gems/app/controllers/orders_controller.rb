# frozen_string_literal: true

class OrdersController < ApplicationController
  def index = render(json: {orders: []})

  def create
    CountedJob.perform_later
    head :accepted
  end
end
