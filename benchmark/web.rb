# frozen_string_literal: true

require "holdup/loader"
require "rack/mock_request"
require_relative "support/bench"
require_relative "support/month"
require_relative "support/painted"

module Bench
  # How long the server takes for each page of the dashboard over a store of thirty days, and what of it a
  # browser shows when.
  class Web
    PAGES = %w[
      / /series/overview /requests /jobs
      /endpoint?unit=Controller7%23action&kind=request
      /series/endpoint?unit=Controller7%23action&kind=request
      /blame /processes /advice /compare /calculator /jit /health /requests.csv
    ].freeze
    SPANS = %w[1h 24h 30d].freeze
    BUDGET_MS = 300
    # These take a CPU for seconds; what was computed is kept.
    COMPUTED = %w[/advice /compare].freeze
    # What a browser is asked for, over the longest span.
    PAINTED = %w[/ /endpoint?unit=Controller7%23action&kind=request /blame /advice /compare
      /calculator].freeze
    PAINT_MS = 1000
    # Its frame is sent before its figures are read.
    OVERVIEW_PAINT_MS = 100
    INTERACTION_MS = 100
    # A clock that stands where the month ends.
    EndOfMonth = Data.define do
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
      Result.new(title: "The dashboard", about:, tables: [served, shown].compact, budgets:,
        notes: ["/advice had no single units to replay here, which takes seconds."])
    end

    private

    def about
      "Milliseconds, median of #{@times}, with YJIT as `holdup web` has it: #{@days} days, 100 " \
      "endpoints, 4 settings one after the other, 16 processes in SQLite. " \
        "#{COMPUTED.join(" and ")} are computed in a thread of their own where that takes longer than " \
        "#{(Holdup::Web::Computations::PATIENCE_S * 1000).round} ms, and a page says so meanwhile; " \
        "the table has the whole."
    end

    def measure(path)
      RubyVM::YJIT.enable if defined?(RubyVM::YJIT)
      Month.new(path, days: @days).fill
      @medians = PAGES.to_h { |page|
        [page, SPANS.map { |span| median { computed(path, over(page, span)) } }]
      }
      app = dashboard(path, computations: patient)
      @first = COMPUTED.to_h { |page| [page, first(dashboard(path), over(page, SPANS.last))] }
      @painted = Painted.with(app) { |painted|
        painted && PAINTED.to_h { |page| [page, browsed(painted, over(page, SPANS.last))] }
      }
    end

    def dashboard(path, **options)
      Holdup::Web.new(store: -> { Holdup::Store.open(path, read_only: true) }, dir: File.dirname(path),
        auth: :none, clock: EndOfMonth.new, **options)
    end

    def patient
      Holdup::Web::Computations.new(clock: Holdup::Clock.new, patience_s: nil)
    end

    # Nothing is kept yet.
    def computed(path, address)
      app = dashboard(path, computations: patient)
      milliseconds { ask(app, address) }
    end

    # How long it takes until something is answered; then it is waited for, so that the next begins in peace.
    def first(app, address)
      median { milliseconds { ask(app, address) }.tap { nil until ask(app, address) == 200 } }
    end

    def browsed(painted, address)
      [median { painted.paint(address) }, median { painted.interaction(address) }]
    end

    def over(page, span)
      "#{page}#{page.include?("?") ? "&" : "?"}since=#{span}"
    end

    def median
      Array.new(@times) { yield }.sort[@times / 2]
    end

    def served
      ResultTable.new(["page, on the server", *SPANS], rows(@medians))
    end

    def shown
      @painted && ResultTable.new(
        ["page over #{SPANS.last}, in Chromium", "first paint",
          "key or click to the next picture"], rows(@painted)
      )
    end

    def rows(all)
      all.map { |page, found| [page, *found.map { |ms| format("%.0f", ms) }] }
    end

    def ask(app, address)
      status, _, body = app.call(Rack::MockRequest.env_for(address))
      raise Failure, "web: #{address} answered #{status}" unless [200, 202].include?(status)
      body.each { |part| part }
      status
    end

    def milliseconds
      before = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      yield
      (Process.clock_gettime(Process::CLOCK_MONOTONIC) - before) * 1000
    end

    def budgets
      SPANS.each_with_index.map { |span, index|
        budget("the slowest page over #{span} but for those two",
          BUDGET_MS, @medians.except(*COMPUTED), index)
      } +
        [
          Budget.new(
            "the first answer of #{COMPUTED.join(" and ")} over #{SPANS.last}", BUDGET_MS,
            @first.values.max, "ms"
          ), *in_browser
        ]
    end

    def in_browser
      return [] unless @painted
      [budget("the first paint of the overview", OVERVIEW_PAINT_MS, @painted.slice("/"), 0),
        budget("the latest first paint", PAINT_MS, @painted, 0),
        budget("the slowest answer to a key or click", INTERACTION_MS, @painted, 1)]
    end

    def budget(what, limit, all, index)
      Budget.new(what, limit, all.values.map { |found| found[index] }.max, "ms")
    end
  end
end
