# frozen_string_literal: true

# The job of the story about vCPUs: `sidekiq -r statement_job.rb`. It computes, as jobs that render documents
# do: for most of its time it holds the GVL.

require "sidekiq"

# The monthly statement of one customer, as CSV.
class StatementJob
  include Sidekiq::Job

  sidekiq_options retry: false

  BOOKINGS = 20_000
  KEPT_S = 60

  def perform(customer)
    text = render(customer)
    Sidekiq.redis { |redis| redis.call("SETEX", "statement:#{customer}", KEPT_S, text.bytesize.to_s) }
  end

  # @return [String]
  def render(customer)
    balance = 0
    lines = bookings(customer).map do |day, cents|
      balance += cents
      format("%02d;%.2f;%.2f", day, cents / 100.0, balance / 100.0)
    end
    lines.join("\n")
  end

  private

  def bookings(customer)
    random = Random.new(customer)
    bookings = Array.new(BOOKINGS) { [random.rand(1..31), random.rand(-50_000..50_000)] }
    bookings.sort_by { |day, cents| [day, cents] }
  end
end
