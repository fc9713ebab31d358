# frozen_string_literal: true

require "holdup/web"
require "rack/mock_request"
require_relative "support/bench"
require_relative "support/month"

module Bench
  # How long the server takes for each page of the dashboard, over a store of thirty days.
  class Web
    PAGES = %w[/ /series/overview /endpoints /jobs /endpoint?unit=Controller7%23action&kind=request /series/endpoint?unit=Controller7%23action&kind=request
      /blame /processes /advice /calculator /jit /health /endpoints.csv].freeze
    # It computes, in any case: intervals come from hundreds of draws.
    COMPARE = "/compare"
    SPANS = %w[1h 24h 30d].freeze
    BUDGET_MS = 300
    # A clock that stands where the month ends.
    Still = Data.define do
      def realtime_s = Month::NOW_S

      def realtime_ns = Month::NOW_S * Month::NS
    end

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @days, @times = quick ? [2, 1] : [30, 5]
    end

    # @return [Result]
    def call
      Fresh.scratch { |scratch| measure(File.join(scratch, "store.sqlite3")) }
      Result.new(title: "The dashboard", about: "Milliseconds on the server, median of #{@times}: #{@days} days, 100 endpoints, 4 settings one after the other, 16 processes in SQLite.",
        tables: [Table.new(["page", *SPANS], @medians.map { |page, medians| [page, *medians.map { |ms| format("%.0f", ms) }] })], budgets:,
        notes: ["#{COMPARE} computes and has no budget; /advice had no single units to replay here."])
    end

    private

    def measure(path)
      Month.new(path, days: @days).fill
      app = Holdup::Web.new(store: -> { Holdup::Stores.open(path, read_only: true) }, dir: File.dirname(path), auth: :none, clock: Still.new)
      @medians = [*PAGES, COMPARE].to_h { |page| [page, SPANS.map { |span| median(app, page, span) }] }
    end

    def median(app, page, span)
      Array.new(@times) { milliseconds { ask(app, "#{page}#{page.include?("?") ? "&" : "?"}since=#{span}") } }.sort[@times / 2]
    end

    def ask(app, address)
      status, _, body = app.call(Rack::MockRequest.env_for(address))
      raise Failure, "web: #{address} answered #{status}" unless status == 200
      body.each { |part| part }
    end

    def milliseconds
      before = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      yield
      (Process.clock_gettime(Process::CLOCK_MONOTONIC) - before) * 1000
    end

    def budgets
      SPANS.each_with_index.map { |span, index| Budget.new("the slowest page over #{span}", BUDGET_MS, @medians.values_at(*PAGES).map { |all| all[index] }.max, "ms") }
    end
  end
end
