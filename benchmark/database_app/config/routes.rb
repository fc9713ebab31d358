# frozen_string_literal: true

Rails.application.routes.draw do
  get "/up", to: ->(_env) { [200, {}, ["up"]] }
  resource :dashboard, only: :show
  resources :projects, only: %i[index show]
  resources :issues, only: %i[index show]
  resources :users, only: :show
  get "/reports/workload", to: "reports#workload"
  resources :activities, only: :index
end
