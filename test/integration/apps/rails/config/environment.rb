# frozen_string_literal: true

require_relative "application"

class OrdersController < ActionController::API
  def index
    render json: {initializers: Rails.application.initializers.map(&:name).grep(/\Aholdup/),
                  outermost: Rails.application.middleware.first.name}
  end

  def show = raise("boom")

  def named
    Holdup.name = "Orders: named"
    head :no_content
  end
end

Shop.initialize!
Shop.routes.draw do
  get "/up", to: ->(_env) { [200, {}, ["up"]] }
  get "/orders/named", to: "orders#named"
  resources :orders, only: %i[index show]
  mount ->(_env) { [200, {}, ["mounted"]] } => "/mounted"
end
