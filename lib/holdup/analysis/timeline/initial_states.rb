# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # What each thread is in when the window begins: told by its first event, or by the table for one without
    # events.
    class InitialStates
      TELLS_LEDGER = %i[begin ready resumed suspended started exited gc_start gc_end fork setting].freeze

      # @param recording [Capture::EventLog]
      def initialize(recording)
        @recording = recording
      end

      # @return [Hash{Integer => Lane}]
      def lanes
        firsts = @recording.events.uniq(&:thread)
        told = firsts.to_h { |event| [event.thread, lane(event.thread, start_of(event), event.unit)] }
        rest = @recording.threads.keys - told.keys
        told.merge(rest.to_h { |number| [number, lane(number, state(@recording.threads[number].phase), 0)] })
      end

      # @param lanes [Array<Lane>]
      # @return [Hash{Integer => GvlLedger}]
      def ledgers(lanes)
        lanes.group_by(&:ledger).transform_values do |group|
          GvlLedger.new(waiting: group.count { |lane| lane.state == :stalled },
            holder: group.find { |lane| lane.state == :running })
        end
      end

      private

      def lane(number, state, unit)
        listed = @recording.threads[number]
        Lane.new(number, state:, unit:, name: listed&.name,
          ledger: listed&.ledger || told_ledgers.fetch(number, 0))
      end

      def start_of(event)
        (event.kind == :started) ? :absent : state(event.before)
      end

      STATES = {waiting: :stalled, exited: :absent}.freeze
      private_constant :STATES

      def state(phase) = STATES.fetch(phase, phase)

      def told_ledgers
        @told_ledgers ||= @recording.events.each_with_object({}) { |event, told|
          told[event.thread] ||= event.detail if TELLS_LEDGER.include?(event.kind)
        }
      end
    end
  end
end
