# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/coverage/trial"
require_relative "support/coverage/workers"
require_relative "../test/support/simulated_users"

module Bench
  # How often intervals contain the planted pause and gain where users wait for an answer, pause, and ask
  # again.
  class CoverageUsers
    SIZING = Coverage::SIZING
    MISSED = Coverage::MISSED
    # Users, pauses (s), processes. Each of these serves 6.8 requests a second: the first five saturate it.
    USERS = [[60, 5, 1], [90, 5, 1], [40, 2, 1], [150, 20, 1], [300, 40, 1], [30, 5, 1], [20, 2, 1],
      [100, 20, 1], [60, 5, 2], [70, 5, 2], [120, 5, 2], [200, 20, 2]].freeze
    HANDOFFS = [0, 700_000].freeze
    GROWTHS = [0.0, 0.1].freeze
    MINUTES = {recorded: 30, compared: 40}.freeze
    COLUMNS = ["users x pause, s", "processes", "recordings", "self-test A, B, C", "users found",
      "pause in the interval, %", "gain in the interval, %", "mean width, points"].freeze

    PlantedUsers = Data.define(:users, :think_s, :handoff_ns, :growth, :processes) do
      # @return [Array<Integer>] the recorded setting's and the advised one's
      def both = [processes, processes + 1]
    end
    # `pause` and `gain`: Coverage::Covered; nil without users, or without advice
    FoundUsers = Data.define(:planted, :grade, :pause, :gain)

    def initialize(quick:)
      @users = quick ? USERS.values_at(0, 5) : USERS
      @costs = quick ? [[0, 0.0]] : HANDOFFS.product(GROWTHS)
    end

    # @return [Result]
    def call
      planted = @users.product(@costs).map do |(users, think_s, processes), (handoff_ns, growth)|
        PlantedUsers.new(users:, think_s:, processes:, handoff_ns:, growth:)
      end
      found = Coverage::Workers.map(planted) { |one| trial(one) }
      sizes = found.group_by { |one| one.planted.to_h.values_at(:users, :think_s, :processes) }
      rows = sizes.map do |(users, think_s, processes), same|
        row("#{users} x #{think_s}", processes.to_s, same)
      end
      Result.new(title: "Users who pause, simulated", about:, tables: [ResultTable.new(COLUMNS,
        [*rows, row("all", "", found)])], budgets: budgets(found), notes:)
    end

    private

    def simulated(planted, **options)
      SimulatedUsers.new(**planted.to_h, **options)
    end

    def trial(planted)
      recording = simulated(planted, seed: planted.users, minutes: MINUTES.fetch(:recorded))
      setting = {"threads" => 5, "workers" => planted.processes}
      stored = StoredSimulation.of(recording, setting, sampled: true)
      processes = planted.both.last
      advice = Coverage::AdviceAbout.new(stored, limits: SIZING::ResourceLimits.new(vcpus: processes),
        other: SIZING::Candidate.new(processes:, threads: 5))
      grade = advice.self_test.grade
      gain = gain(planted, advice) if grade != :c
      FoundUsers.new(planted:, grade:, pause: pause(planted, advice.users), gain:)
    end

    def pause(planted, users)
      return unless users
      low, high = users.thinks_ns.minmax
      Coverage::Covered.new(planted: planted.think_s * 1_000_000_000, low:, high:)
    end

    def gain(planted, advice)
      (wait, response), (less, _) = planted.both.map do |processes|
        simulated(planted, seed: 77, processes:, minutes: MINUTES.fetch(:compared)).percentiles
      end
      low, high = advice.interval.minmax
      Coverage::Covered.new(planted: (wait - less).fdiv(response), low:, high:)
    end

    def row(name, processes, found)
      grades = found.map(&:grade).tally
      pauses = found.filter_map(&:pause)
      gains = found.filter_map(&:gain)
      counts = %i[a b c].map { |grade| grades.fetch(grade, 0) }
      [name, processes, found.size.to_s, counts.join(", "), pauses.size.to_s,
        covered(pauses), covered(gains), width(gains)]
    end

    def covered(intervals)
      intervals.empty? ? "-" : format("%.0f", 100.0 * intervals.count(&:covers?) / intervals.size)
    end

    def width(intervals)
      intervals.empty? ? "-" : format("%.1f", 100.0 * intervals.sum(&:width) / intervals.size)
    end

    def budgets(found)
      gains = found.filter_map(&:gain)
      missed = 100.0 * gains.count { |one| !one.covers? } / [gains.size, 1].max
      [Budget.new("90 % intervals without the true gain", MISSED, missed, "%")]
    end

    def about
      "A simulation that is not the replay: #{MINUTES.fetch(:recorded)} minutes of 1 x 5 or 2 x 5 " \
      "(processes x threads), of which a store keeps 900 requests in ten minutes. Users wait for an " \
      "answer, pause (exponential), and ask again. Each with hand-offs of 0 and 700 us, and a growth of 0 " \
      "and 10 % for each doubling in flight; without both, the first five sizes and 120 x 5 saturate the " \
      "processes, the others use 70 to 85 % of them."
    end

    def notes
      ["The gain is that of one more process, if the self-test is not C; the true one is that of " \
        "#{MINUTES.fetch(:compared)} minutes under either setting."]
    end
  end
end
