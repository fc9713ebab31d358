# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # What a host and its database allow. An unknown limit is nil, and guards nothing.
      #
      # - `vcpus`: of a host; `others`: what other processes use of them; `hindering`: the part of that which
      #   is missing when a process wants a CPU, see SelfTest::FreeCpus; `hosts`: how many run the same
      # - `memory_limit_bytes`, `base_bytes` (the rest of the container), `process_bytes` (of one process
      #   now), `thread_bytes`: of one more thread
      # - `pool`: connections that a process may have; `outside`: how many of them threads without units keep
      # - `connections`: this application's share of the server's; `other_connections`: those of threads that
      #   are not sized (of jobs, if requests are sized)
      ResourceLimits = Data.define(
        :vcpus, :others, :hindering, :hosts, :memory_limit_bytes, :base_bytes, :process_bytes, :thread_bytes,
        :pool, :outside, :connections, :other_connections
      ) do
        def initialize(vcpus:, others: ResourceLimits::OtherCpus::NONE, hindering: 1.0, hosts: 1,
          memory_limit_bytes: nil, base_bytes: 0, process_bytes: nil, thread_bytes: self.class::THREAD_BYTES,
          pool: nil, outside: 0.0, connections: nil, other_connections: 0)
          super
        end

        # @param machine [Machine, nil] the smallest host
        # @param given [Hash] values from the user: vcpus, memory_limit_bytes, connections, pool, hosts
        def self.of(machine, processes:, **given)
          known = given.compact
          each = machine && process_bytes(machine.members.select(&:takes?))
          total = machine&.memory_bytes
          base = (total && each) ? [total - each * processes, 0].max : 0
          others = ResourceLimits::OtherCpus.always(machine ? machine.other_cpus : 0.0)
          new(vcpus: machine&.vcpus, others:, memory_limit_bytes: machine&.memory_limit_bytes,
            base_bytes: base,
            process_bytes: each, **known)
        end

        # The large ones decide: PSS counts shared pages once, and if only RSS is known that is the safe side.
        def self.process_bytes(members)
          known = members.filter_map { |member| member.pss_bytes || member.rss_bytes }.sort
          known[((known.size - 1) * self::LARGE).ceil] if known.any?
        end
        private_class_method :process_bytes

        # vCPUs that others leave; if they use nearly all, one process still gets its share.
        # @param rate [Float, nil] units per second of a host; nil: as recorded
        def free_vcpus(rate = nil)
          taken = hindering * (rate ? others.at(rate) : others.mean)
          [vcpus - taken, vcpus / (1 + taken)].max.to_f
        end

        # @param free_vcpus [Float] that were available in the recording when a process wanted one
        def fitted(free_vcpus)
          return self unless others.mean.positive?
          with(hindering: ((vcpus - free_vcpus) / others.mean).clamp(0.0, 1.0))
        end

        # @param current [Candidate] its processes were measured
        # @return [Integer, nil] bytes of a host
        def memory(candidate, current:)
          return unless process_bytes
          base_bytes + candidate.groups.sum { |group| group.processes * process(group, current) }
        end

        # @return [Integer] connections of all hosts together, when each thread keeps one
        def connections_of(candidate)
          hosts * candidate.slots + other_connections
        end

        private

        def process(group, current)
          more_threads = group.threads + group.io_threads - current.threads
          [process_bytes + more_threads * thread_bytes, thread_bytes].max
        end
      end

      # A Ruby thread with its stacks and a request's garbage, if not measured: one benchmark took 3.4 MB.
      ResourceLimits::THREAD_BYTES = 4_000_000
      ResourceLimits::LARGE = 0.95

      class ResourceLimits
        # CPUs of a host that other processes use than the measured ones: a database, a proxy or a client,
        # which work for each unit, and neighbours, which work anyway.
        #
        #   CPUs = constant + unit_ns * units per second
        #
        # - `constant`: CPUs; `unit_ns`: CPU time for each unit; `least_unit_ns`: the least that the recording
        #   allows
        # - `mean`: CPUs while it was recorded
        OtherCpus = Data.define(:constant, :unit_ns, :least_unit_ns, :mean) do
          def initialize(constant:, unit_ns:, mean:, least_unit_ns: unit_ns)
            super
          end

          # @param cpus [Float] whatever units come
          def self.always(cpus)
            new(constant: cpus, unit_ns: 0.0, mean: cpus)
          end

          # The line of least squares. A recording whose load hardly varies does not show it; then all of them
          # count as working for units, which for more units than recorded is the safe side.
          # @param spans [Array<OtherCpuSpan>]
          def self.of(spans)
            loaded = spans.select { |span| span.rate.positive? }
            return always(means(spans).last) if loaded.empty?
            rate, cpus = means(loaded)
            most = cpus / rate
            slope, error = slope(spans)
            known = error && WeightedSample::NORMAL * error < most / 2
            each = known ? slope.clamp(0.0, most) : most
            least = known ? (slope - WeightedSample::NORMAL * error).clamp(0.0, each) : 0.0
            new(constant: cpus - each * rate, unit_ns: each * NS, least_unit_ns: least * NS,
              mean: cpus)
          end

          # @return [Array<Float>] slope and its standard error; nil without any
          def self.slope(spans)
            rate, cpus = means(spans)
            square = spans.sum { |span| (span.rate - rate)**2 }
            return if spans.size < self::FEWEST || square.zero?
            slope = spans.sum { |span| (span.rate - rate) * (span.cpus - cpus) } / square
            left = spans.sum { |span| (span.cpus - cpus - slope * (span.rate - rate))**2 }
            [slope, Math.sqrt(left / (spans.size - 2) / square)]
          end

          def self.means(spans)
            %i[rate cpus].map { |name| spans.sum(0.0, &name) / [spans.size, 1].max }
          end
          private_class_method :slope, :means

          # @param intervals [Array<Analysis::ProcessReport::OtherCpuInterval>] one after the other
          # @param units [Array<UnitSample>] of the host
          # @return [Array<OtherCpuSpan>]
          def self.spans(intervals, units)
            ended = units.group_by do |unit|
              end_s = unit.end_ns / NS
              found = intervals.bsearch_index { |interval| end_s < interval.to_s }
              found if found && end_s >= intervals[found].from_s
            end
            intervals.each_with_index.map do |interval, index|
              weight = ended.fetch(index, []).sum(0.0, &:weight)
              self::OtherCpuSpan.new(rate: weight / (interval.to_s - interval.from_s), cpus: interval.cpus)
            end
          end

          # @return [OtherCpus] those that use the least for each unit, and more anyway
          def least
            return self if unit_ns.zero?
            constant_share = 1 - least_unit_ns / unit_ns
            with(constant: constant + (mean - constant) * constant_share, unit_ns: least_unit_ns)
          end

          # Others can't have used CPUs that the units used. Where they would have, the CPUs that they need
          # for a unit are fewer.
          # @param cpus [Float] that were left for others
          # @param rate [Float] units per second that were served meanwhile
          # @return [OtherCpus] that leave the units as many as these had
          def within(cpus, rate:)
            return self if at(rate) <= cpus
            return self.class.always(cpus) if mean >= cpus
            recorded_rate = (mean - constant) * NS / unit_ns
            each = (cpus - mean) / (rate - recorded_rate)
            with(constant: mean - each * recorded_rate, unit_ns: each * NS,
              least_unit_ns: [least_unit_ns, each * NS].min)
          end

          # @param rate [Float] units per second
          # @return [Float] CPUs
          def at(rate)
            constant + unit_ns * rate / NS
          end
        end

        # A span between two samples of a host. `rate`: units per second; `cpus`: of the other processes
        OtherCpus::OtherCpuSpan = Data.define(:rate, :cpus)
        # Spans from which their spread is known.
        OtherCpus::FEWEST = 4
        OtherCpus::NONE = OtherCpus.always(0.0)
      end
    end
  end
end
