# frozen_string_literal: true

Rails.application.routes.draw do
  get "up" => "rails/health#show", :as => :rails_health_check
  root "pages#home"

  get "products" => "products#index"
  get "orders" => "orders#index"
  get "reports/sales" => "reports#sales"
  get "reports/forecast" => "reports#forecast"
  get "quotes/:id" => "quotes#show"
  get "shipping/:id" => "shipping#show"
  post "carts/:id" => "carts#update"
  get "inventory/:id" => "inventory#show"
  post "exports" => "exports#create"
  post "notifications" => "notifications#create"
  get "feed" => "feeds#show"
  post "checkouts/:id" => "checkouts#create"
end
