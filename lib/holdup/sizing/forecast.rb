# frozen_string_literal: true

module Holdup
  module Sizing
    # Finds out what a candidate would do at peak load: its ceiling by formula, what units wait and take by
    # replay.
    class Forecast
      PERCENTILES = [0.5, 0.95, 0.99].freeze
      # Who gets an arriving request is up to the kernel and the server: somewhere between these two. Jobs are
      # taken.
      ASSIGNMENTS = {request: %i[random least_busy], job: %i[shared]}.freeze
      SERVED = 0.95
      NS = 1_000_000_000

      # @param rate [Float] units per second and host
      # @param handoff_ns [Numeric] see Handoff
      def initialize(demand:, guards:, limits:, current:, rate:, slo:, kind: :request,
        handoff_ns: Handoff::NS)
        @demand = demand
        @guards = guards
        @limits = limits
        @current = current
        @rate = rate
        @percentiles = [*PERCENTILES, slo.percentile].uniq
        @slo = slo
        @kind = kind
        @handoff_ns = handoff_ns
      end

      # @param trace [Trace] at the same rate
      # @param force [Boolean] replay it although a guard rejects it
      # @param counted [Array<Integer>, nil] which units of the trace the times are of; nil: all
      def call(candidate, trace, force: false, counted: nil)
        trace = paced(trace, candidate)
        cheap = estimated(candidate, trace)
        ((cheap.allowed? || force) && served?(cheap)) ? played(cheap, trace, counted) : cheap
      end

      # @param trace [Trace, nil] at that rate: where pools share a GVL no formula knows the ceiling
      # @return [Prediction] without times
      def estimate(candidate, trace = nil)
        estimated(candidate, trace && paced(trace, candidate))
      end

      private

      def estimated(candidate, trace)
        ceiling = ceiling(candidate, trace)
        utilisation = @rate * @demand.held_ns.fdiv(NS) / candidate.groups.sum(&:processes)
        replayed_ceiling = ceiling if candidate.concurrent_threads.any?
        Prediction.new(candidate:, ceiling:, utilisation:, guards: @guards.call(candidate, *replayed_ceiling),
          memory_bytes: @limits.memory(candidate, current: @current),
          connections: @limits.connections_of(candidate))
      end

      # The environment changes all threads' time slices.
      def paced(trace, candidate)
        trace.paced(candidate.time_slice_ns.fdiv(@current.time_slice_ns))
      end

      def ceiling(candidate, trace)
        return @guards.ceiling(candidate) unless trace && candidate.shared?
        Saturation.throughput(trace, scenario(candidate, :shared))
      end

      def scenario(candidate, assignment)
        candidate.scenario(vcpus: @limits.free_vcpus, cost: @demand.cost, between: @demand.between,
          handoff_ns: @handoff_ns, assignment:)
      end

      # Jobs that come faster than they can be done wait as long as one likes to look: that is no figure.
      def served?(cheap)
        @kind == :request || @rate < SERVED * cheap.ceiling
      end

      def played(cheap, trace, counted)
        assignments = ASSIGNMENTS.fetch(@kind)
        assignments = assignments.last(1) if cheap.candidate.groups.all? { |group| group.processes == 1 }
        predictions = assignments.map { |assignment| play(cheap, trace, assignment, counted) }
        predictions.max_by { |prediction| prediction.waits[@slo.percentile] }
      end

      def play(cheap, trace, assignment, counted)
        outcome = Replay.call(trace, scenario(cheap.candidate, assignment))
        queued, stalled, response = %i[queued stalled response].map do |name|
          column = outcome.column(name)
          counted ? column.values_at(*counted) : column
        end
        waits = queued.zip(stalled).map(&:sum)
        cheap.with(assignment:, cpus: outcome.cpus, utilisation: outcome.utilisation,
          queued_ns: mean(queued), stalled_ns: mean(stalled), handoff_ns: outcome.handoff_ns,
          response_ns: mean(response), responses: percentiles(response), waits: percentiles(waits))
      end

      def mean(values)
        values.sum.fdiv([values.size, 1].max)
      end

      def percentiles(values)
        sorted = values.sort
        @percentiles.to_h { |share| [share, sorted[((sorted.size - 1) * share).round].to_i] }
      end

      # How many units a second of one mix processes serve at most whose threads are of several pools: the
      # pool that is full first bounds all of them, as with processes of their own (Guards::SplitGuards). But
      # these share a GVL, so that what one can do hangs on how busy the others are, and it is replayed: a new
      # unit comes when another one is done. Nearly all that wait then wait for the fullest pool, and the
      # others have what the mix brings them.
      class Saturation
        # At most so many are played: all candidates have the same.
        UNITS = 4_000
        # For each thread so many are there at the same time.
        CROWD = 4
        NS = 1_000_000_000

        # @return [Float] units per second
        def self.throughput(trace, scenario)
          new(trace.backlog.first(UNITS), scenario).throughput
        end

        # @param trace [Trace] its backlog
        def initialize(trace, scenario)
          @units = trace.units
          most = scenario.groups.sum { |group| CROWD * group.processes * group.threads }
          @outcome = Replay.call(trace, scenario.with(most:))
        end

        # Until its queue is that long, the others do more than the mix has of them: the fullest pool tells,
        # by its part of the mix.
        # @return [Float] units per second
        def throughput
          span = @outcome.steady_span(BacklogReplay::EDGE)
          fullest = fullest()
          @outcome.ended(span, fullest).size * @units.size.fdiv(fullest.size) * NS / (span.end - span.begin)
        end

        private

        def fullest
          queued = @outcome.column(:queued)
          pools = @units.each_index.group_by { |index| [@units[index].group, @units[index].pool] }.values
          pools.max_by { |units| queued.values_at(*units).sum.fdiv(units.size) }
        end
      end
    end
  end
end
