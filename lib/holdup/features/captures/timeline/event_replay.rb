# frozen_string_literal: true

module Holdup
  module Captures
    module Timeline
      # Replays the events of a recording as the probe took them: lanes, GVLs, units, garbage collections.
      class EventReplay
        # Events of units that say themselves whether one begins.
        EDGES = %i[unit_open unit_start unit_named unit_trace].freeze

        attr_reader :units
        attr_reader :ledgers
        # Garbage collections: number of the thread, from, to (ticks).
        attr_reader :collections
        # Number of the thread that waited for a connection of a pool, and when.
        attr_reader :pool_waits
        # :fork or :setting, and when (ticks).
        attr_reader :marks

        def initialize(recording)
          @recording = recording
          @length = recording.length_ticks
          @units = []
          @open = {}
          @begun = Set[0]
          @collections = []
          @collecting = {}
          @pool_waits = []
          @marks = []
        end

        def call
          opening = InitialStates.new(@recording)
          @lanes = opening.lanes
          @ledgers = opening.ledgers(lanes)
          @recording.events.each { |event| apply(event) }
          lanes.each { |lane| lane.close(@length) }
          self
        end

        def lanes = @lanes.values

        private

        def apply(event)
          lane = @lanes.fetch(event.thread)
          open_unit(lane, event) unless @begun.include?(event.unit) || EDGES.include?(event.kind)
          lane.never_stopped if lane.state == :idle && event.before == :running
          case event.kind
          when :ready then ready(lane, event)
          when :resumed then resumed(lane, event)
          when :suspended then suspended(lane, event)
          when :exited then lane.turn(:absent, at(lane, event), unit: 0)
          when :started then lane.turn(:unknown, event.time)
          else other(lane, event)
          end
        end

        def other(lane, event)
          case event.kind
          when :unit_open, :unit_start then unit_begins(lane, event)
          when :unit_end then unit_ends(lane, event)
          when :unit_turn then lane.turn(:running, at(lane, event), unit: event.unit)
          when :unit_named then name_unit(event)
          when :unit_trace then trace_unit(event)
          when :pool_wait then pool_waited(lane, event)
          when :gc_start then @collecting[lane.number] = event.time
          when :gc_end then collected(lane, event)
          when :fork, :setting then @marks << [event.kind, event.time]
          end
        end

        # Clocks of several CPUs may differ by a few ticks.
        def at(lane, event)
          [event.time, lane.at].max
        end

        def ready(lane, event)
          ledger = @ledgers.fetch(lane.ledger)
          ended = ledger.holder&.hold_end if event.flag?(:closed)
          ledger.close(ended) if ended && ended <= event.time
          ledger.add_waiter(event.time)
          ledger.close(ended) if ended && ended > event.time
          yielded = event.flag?(:yielded)
          kind = event.idle_kind if lane.state == :idle && !yielded
          lane.turn(:stalled, at(lane, event), unit: event.unit, kind:)
          lane.preempted if yielded
        end

        def resumed(lane, event)
          ledger = @ledgers.fetch(lane.ledger)
          if event.flag?(:closed) && ledger.holder
            ledger.close(event.flag?(:unended) ? event.time : ledger.holder.hold_end || event.time)
          end
          ledger.drop_waiter(event.time) if event.before == :waiting
          ledger.open(lane, event.time)
          lane.hold_end = nil
          kind = (lane.state == :idle) ? {kind: event.idle_kind} : {}
          lane.turn(:running, at(lane, event), unit: event.unit, **kind)
        end

        def suspended(lane, event)
          lane.never_stopped if lane.state == :idle
          lane.turn(:idle, at(lane, event), unit: event.unit)
          lane.hold_end = event.time
        end

        def unit_begins(lane, event)
          unit = open_unit(lane, event, fibers: event.flag?(:fibers))
          return if event.kind == :unit_open
          unit.base = lane.sums[:caused] + event.signed_detail
          lane.turn(state_after(lane, event), at(lane, event), unit: event.unit)
        end

        # The probe knows at an edge of a unit that the thread runs, whatever events came or did not: under
        # M:N threads CRuby 4.0 may leave out the events that end an idle period.
        def state_after(lane, event) = (event.before == :running) ? :running : lane.state

        # Any event may be a unit's first: it began before the window, or a full ring overwrote its first
        # event.
        def open_unit(lane, event, fibers: false)
          @begun << event.unit
          from = (event.kind == :unit_start) ? event.time : -1
          unit = TimelineUnit.new(id: @units.size + 1, number: event.unit, lane:, from:,
            job: false, failed: false, fibers:)
          lane.units << unit
          @units << unit
          @open[event.unit] = unit
        end

        def unit_ends(lane, event)
          unit = @open[event.unit] or return
          lane.units.delete(unit)
          unit.to = event.time
          unit.lost = event.flag?(:lost)
          unit.caused = caused(unit, event) if unit.whole?
          lane.turn(state_after(lane, event), at(lane, event), unit: lane.units.last&.number || 0)
        end

        # The sum may fall between two edges in captures of earlier versions.
        def caused(unit, event)
          [unit.lane.sums[:caused] + event.signed_detail - unit.base, 0].max
        end

        def name_unit(event)
          unit = @open.delete(event.unit) or return
          name = @recording.names[event.detail]
          unit.name = name&.name
          unit.queue = name&.queue
          unit.job = event.flag?(:job)
          unit.failed = event.flag?(:failed)
        end

        # The id comes in two halves, the high one first.
        def trace_unit(event)
          unit = @open[event.unit] or return
          before = event.flag?(:high) ? "" : unit.trace.to_s
          unit.trace = before + format("%016x", event.detail)
        end

        def collected(lane, event)
          from = @collecting.delete(lane.number)
          @collections << [lane.number, from, event.time] if from
        end

        def pool_waited(lane, event)
          from = event.time - @recording.header.ticks(event.detail)
          @pool_waits << [lane.number, ThreadSpan.new(:idle, from, event.time, event.unit, :pool)]
        end

        # The sums of one GVL, as the probe computes them (ext/holdup/hook/blame.h): with W threads waiting
        # since times that add up to M, all have waited W * t - M by t. So what a hold caused is a difference,
        # equal to the probe's to the tick.
        class GvlLedger
          attr_reader :holder

          # Ticks that threads waited while no thread held the GVL.
          attr_reader :handoff

          # @param waiting [Integer] threads that wait when the window begins
          def initialize(waiting: 0, holder: nil)
            @waiting = waiting
            @holder = holder
            @moment = @opened = @closed = @handoff = 0
          end

          def add_waiter(at)
            @waiting += 1
            @moment += at
          end

          def drop_waiter(at)
            @waiting -= 1
            @moment -= at
          end

          def open(lane, at)
            @opened = waited(at)
            @handoff += @opened - @closed
            @holder = lane
          end

          # The open hold ended; what it caused goes to its holder.
          def close(at)
            @closed = waited(at)
            @holder&.blame(@closed - @opened)
            @holder = nil
          end

          private

          def waited(at) = @waiting * at - @moment
        end

        # The state of each thread when the window begins: from its first event, else from the thread table.
        class InitialStates
          WITH_LEDGER = %i[begin ready resumed suspended started exited gc_start gc_end fork setting].freeze

          def initialize(recording)
            @recording = recording
          end

          def lanes
            firsts = @recording.events.uniq(&:thread)
            active = firsts.to_h { |event| [event.thread, lane(event.thread, start_of(event), event.unit)] }
            silent = @recording.threads.except(*active.keys)
            active.merge(silent.to_h { |number, listed| [number, lane(number, state(listed.phase), 0)] })
          end

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
              ledger: listed&.ledger || event_ledgers.fetch(number, 0))
          end

          def start_of(event)
            (event.kind == :started) ? :absent : state(event.before)
          end

          STATES = {waiting: :stalled, exited: :absent}.freeze
          private_constant :STATES

          def state(phase)
            STATES.fetch(phase, phase)
          end

          # Number of the GVL by number of the thread.
          def event_ledgers
            @event_ledgers ||= @recording.events.each_with_object({}) do |event, ledgers|
              ledgers[event.thread] ||= event.detail if WITH_LEDGER.include?(event.kind)
            end
          end
        end
      end
    end
  end
end
