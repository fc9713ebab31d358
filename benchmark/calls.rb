# frozen_string_literal: true

require_relative "support/bench"

module Bench
  # One call of a request or job to another system: what it pays for being split and recorded.
  class Calls
    # What is around an empty block => what the row is called.
    ARMS = {"bare" => "a bare block", "probe" => "holdup probe", "notification" => "a query's notification",
            "listened" => "the notification, and one more subscriber",
            "holdup" => "the notification, and holdup around it",
            "OpenTelemetry" => "the notification, and OpenTelemetry's span",
            "Datadog" => "the notification, and Datadog's span"}.freeze
    COLUMNS = ["", "ns, median (min..max)", "added", "objects allocated"].freeze
    # An arm with spans takes 30 to 100 us a call, the others less than 2.
    TRACED = %w[OpenTelemetry Datadog].freeze
    TRACED_PART = 20
    # Of Holdup, over what it stands on => ns.
    LIMITS = {%w[probe bare] => 150, %w[holdup notification] => 150}.freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @count = quick ? [3, 20_000] : [9, 100_000]
    end

    # @return [Result]
    def call
      @samples = Rounds.call(ARMS.keys, @rounds) { |arm| Fresh.call("calls", arm, count(arm)) }
      tables = [ResultTable.new(COLUMNS, rows)]
      Result.new(title: "One call to another system", about:, tables:, budgets:)
    end

    private

    def count(arm)
      TRACED.include?(arm) ? @count / TRACED_PART : @count
    end

    def about
      "An empty block in an open unit; #{@rounds} rounds, each arm in a fresh process every round, in " \
        "changing order. \"holdup probe\" is the C alone. The notification is Active Support's " \
        "`sql.active_record`, which the method `log` of Active Record's connections sends for each query, " \
        "with one subscriber that does nothing, as any Rails application has some; the next arm has one " \
        "more that is called at begin and end. Holdup is around that method. The tracers' subscribers of " \
        "the same notification make a span, which goes nowhere; a hundred are one request. The unit's end, " \
        "which writes its calls into the segment, is not counted."
    end

    def rows
      ARMS.map do |arm, name|
        [name, Spread.of(column(arm, "ns")).to_s, (arm == "bare") ? "" : added(arm, "bare", "ns").to_s,
          format("%.2f", added(arm, "bare", "allocated").median)]
      end
    end

    def budgets
      times = LIMITS.map do |(arm, base), limit|
        Budget.new("#{ARMS[arm]}, added over #{ARMS[base]}", limit, added(arm, base, "ns").median, "ns")
      end
      objects = added("holdup", "notification", "allocated").median.round(1)
      [*times, Budget.new("objects allocated, over #{ARMS["notification"]}", 1, objects, "objects")]
    end

    def column(arm, key) = @samples[arm].map { |sample| sample[key] }

    def added(arm, base, key)
      Spread.paired(@samples[arm], @samples[base]) { |with, bare| with[key] - bare[key] }
    end
  end
end
