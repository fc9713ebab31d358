# frozen_string_literal: true

require "sidekiq/web"

Rails.application.routes.draw do
  get "up" => "rails/health#show"
  get "orders" => "orders#index"
  get "orders/loaded" => "orders#loaded"
  get "orders/create" => "orders#create"
  mount MissionControl::Jobs::Engine, at: "/jobs"
  mount GoodJob::Engine, at: "/good_job"
  mount Sidekiq::Web, at: "/sidekiq"
end
