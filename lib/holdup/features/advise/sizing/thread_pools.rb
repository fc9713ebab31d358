# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # The thread pools of a process: Sidekiq's capsules, Solid Queue's workers in one process, Puma's
      # threads with those of a job runner. Each has a cap and takes its own units, and all share the
      # process's GVL. The first is the one that is sized; those of the other kind of units are last.
      #
      # Single units are recorded without their pool; windows show which pools ran how many jobs of each
      # queue.
      class ThreadPools
        KINDS = %i[request job].freeze
        # The number that a segment holds.
        MOST = 8

        # @param first [String, nil] the pool that was asked about; nil: the busiest
        # @param concurrent [Boolean] whether units of the other kind are known as well
        # @return [ThreadPools] ONE if a process has a single pool, or it is unknown which pool takes what
        def self.of(windows, members:, kind: :job, first: nil, concurrent: false)
          own, others = [kind, *(KINDS - [kind])].map { |one| alike(members, one, first, windows) }
          return ONE if own.empty?
          others = {} unless concurrent && own.size + others.size <= MOST
          return ONE unless own.size + others.size > 1
          new({**own, **others}, units(windows), concurrent: others.size)
        end

        # @return [Hash{String => Integer}] threads of each pool of that kind; empty if ambiguous
        def self.alike(members, kind, first, windows)
          found = members.map do |member|
            member.pools.select { |pool| pool.takes?(kind) && pool.max.to_i.positive? }
          end
          threads = found.map { |pools| pools.to_h { |pool| [pool.name, pool.max] } }.uniq
          return {} if threads.size != 1 || (threads.first.size > 1 && windows.none?)
          busy = found.flatten.group_by(&:name).transform_values { |same| same.sum { |pool| pool.busy.to_f } }
          threads.first.sort_by { |name, _| [(name == first) ? 0 : 1, -busy.fetch(name), name] }.to_h
        end

        def self.units(windows)
          by_queue = windows.group_by { |window| window.series.queue }
          by_queue.transform_values do |same|
            by_pool = same.group_by { |window| window.series.name }
            by_pool.transform_values { |each| each.sum(&:count) }
          end
        end
        private_class_method :alike, :units

        # @param threads [Hash{String => Integer}] by name, the one that is sized first
        # @param units [Hash{String => Hash{String => Integer}}] queue => pool => jobs that it ran of it
        # @param concurrent [Integer] how many of the pools, the last ones, take units of the other kind
        def initialize(threads, units, concurrent: 0)
          @threads = threads
          @concurrent = concurrent
          @takers = units.transform_values { |ran| takers(ran) }
        end

        def names = @threads.keys

        def threads = @threads.values.sum

        # Threads of the pools that are not sized.
        def other_threads = @threads.values.drop(1)

        # Those of them that take units of the other kind.
        def concurrent_threads
          @threads.values.last(@concurrent)
        end

        def several? = names.any?

        def concurrent_units? = @concurrent.positive?

        # The index of the pool that takes it: drawn by frequency if several share its queue; the first of its
        # kind if unknown.
        def index(unit_sample)
          return web if unit_sample.series.kind == :request
          takers = @takers[unit_sample.series.queue]
          takers.is_a?(WeightedSample) ? takers.draw(Random.new(unit_sample.start_ns)) : takers || jobs
        end

        private

        def web
          @web ||= names.index(Analysis::ProcessReport::WEB).to_i
        end

        def jobs
          @jobs ||= names.index { |name| name != Analysis::ProcessReport::WEB }.to_i
        end

        def takers(ran)
          known = ran.filter_map { |name, count| (at = names.index(name)) && [at, count] }
          (known.size > 1) ? WeightedSample.new(known) : known.first&.first
        end
      end

      ThreadPools::ONE = ThreadPools.new({}, {})
    end
  end
end
