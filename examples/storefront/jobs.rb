# frozen_string_literal: true

# The shop's background jobs: `bundle exec sidekiq -r ./jobs.rb`. In a file of its own, so that the shop
# itself needs no Redis.
require_relative "config/environment"
require "sidekiq"

# One job for each way in which a job spends its time, like the endpoints.
module Jobs
  # Waits for another service.
  class Receipt
    include Sidekiq::Job

    sidekiq_options retry: false

    def perform(order) = Upstream.get("/quotes/#{order}", delay_ms: 30)
  end

  # Many small queries.
  class Invoice
    include Sidekiq::Job

    sidekiq_options retry: false

    def perform(page) = Order.order(:id).offset(20 * page).limit(4).sum(&:total_cents)
  end

  # Pure Ruby in one go: what makes the others wait.
  class Digest
    include Sidekiq::Job

    sidekiq_options retry: false

    def perform(*) = SalesReport.load.best_pairs
  end
end
