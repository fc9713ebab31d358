# frozen_string_literal: true

module Holdup
  module Experiment
    # Experiments whose arms take turns on running processes, and what the autopilot keeps: as processes wrote
    # it into the audit log.
    class LiveExperimentsReader
      EVENTS = %i[begins kept ends].freeze
      # A process that lives has left a sample within this time.
      ALIVE_S = 180

      # - `host`, `id`; `plan`: ExperimentPlan, nil: it began too long ago; `at_s`: when it began
      # - `kept`, `ended`: the last AuditEntry of that kind, nil for none; `pids`: of its processes
      # - `alive`: whether one of them still lives
      LiveExperiment = Data.define(:host, :id, :plan, :at_s, :kept, :ended, :pids, :alive) do
        def running?(now_s)
          alive && !plan.nil? && kept.nil? && ended.nil? && now_s < plan.turns.ends_s
        end

        # Whether processes still have the value that was found better.
        def kept? = alive && !kept.nil? && ended.nil?
      end

      # @param store [#audit_entries, #processes] open until all is read
      # @param now_s [Integer]
      def initialize(store, now_s:)
        @store = store
        @now_s = now_s
      end

      # @return [Array<LiveExperiment>] the latest first
      def to_a
        @all ||= begin
          changes = @store.audit_entries(@now_s - AuditEntry::KEEP_S, @now_s + 1, events: EVENTS)
          found = changes.group_by { |change| [change.host, change.plan_id] }.values
          found.map { |same| experiment(same) }.sort_by { |one| -one.at_s }
        end
      end

      def running = to_a.select { |one| one.running?(@now_s) }

      def kept = to_a.select(&:kept?)

      # @param lever [String]
      # @return [String, nil] "config/puma.rb:3", where the processes' lever is set
      def where(lever = "threads")
        facts = lately.filter_map { |sample| sample[:"lever.#{lever}.where"] }
        facts.last
      end

      private

      def experiment(changes)
        by_event = changes.group_by(&:event).transform_values(&:last)
        began = by_event[:begins]
        last = [began, by_event[:kept]].compact.map(&:at_s).max || 0
        ended = by_event[:ends]
        ended = nil if ended && ended.at_s < last # of a process that came later
        first = changes.first
        LiveExperiment.new(host: first.host, id: first.plan_id, plan: plan(began), at_s: first.at_s,
          kept: by_event[:kept], ended:, pids: changes.map(&:pid).uniq, alive: alive?(changes))
      end

      def plan(began) = began && ExperimentPlan.parse(began.begins)

      def alive?(changes)
        changes.any? { |change| living.include?([change.host, change.pid]) }
      end

      def living = @living ||= lately.to_set { |sample| sample.values_at(:host, :pid) }

      def lately = @lately ||= @store.processes(@now_s - ALIVE_S, @now_s + 1)
    end
  end
end
