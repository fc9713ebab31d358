# frozen_string_literal: true

require_relative "../lever"
require_relative "setting_source"

module Holdup
  module Servers
    class Sidekiq
      # What of a Sidekiq process a person can turn. Nothing of it works while it runs: a manager makes its
      # threads once, and a thread gets its priority when it is made.
      class Levers
        PROCESSES = "sidekiqswarm with SIDEKIQ_COUNT=N (Enterprise), else start as many processes"
        CAPSULE = "concurrency = N in config.capsule(%p)"
        PRIORITY = "config.thread_priority = N in Sidekiq.configure_server: each step below 0 halves the time slice of 100 ms"

        # @param capsules [Array<Sidekiq::Capsule>]
        # @param priority [Integer, nil] of the threads; nil where this Sidekiq has no such setting
        # @param written [SettingSource]
        def initialize(capsules, priority:, written:)
          @capsules = capsules
          @priority = priority
          @written = written
        end

        # @return [Array<Lever>]
        def to_a
          [*@capsules.map { |capsule| concurrency(capsule) }, processes, *thread_priority]
        end

        private

        # The others' names go with it, because a process may have several.
        def concurrency(capsule)
          return default(capsule) if capsule.name == "default"
          place = @written.concurrency(capsule.name, capsule.concurrency)
          Lever.new(name: "concurrency #{capsule.name}", value: capsule.concurrency,
            how: format(CAPSULE, capsule.name), where: place&.where)
        end

        def default(capsule)
          place = @written.concurrency("default", capsule.concurrency)
          Lever.new(name: "concurrency", value: capsule.concurrency, how: place&.how || @written.usual,
            where: place&.where)
        end

        def processes
          Lever.new(name: "processes", value: nil, how: PROCESSES)
        end

        def thread_priority
          return unless @priority
          Lever.new(name: "thread_priority", value: @priority, how: PRIORITY,
            where: @written.thread_priority(@priority)&.where)
        end
      end
    end
  end
end
