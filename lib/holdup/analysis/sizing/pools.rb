# frozen_string_literal: true

require_relative "lots"

module Holdup
  module Analysis
    module Sizing
      # The pools of threads of a job runner's process: Sidekiq's capsules, Solid Queue's workers in one process. Each has a cap and
      # takes jobs of its own queues, and all their threads share the process's GVL: what one is given, the others feel. The first
      # is the one that is sized.
      #
      # Single units are kept without their pool; which pools ran how many jobs of each queue is known from the windows.
      class Pools
        # @param windows [Enumerable<Window>] of the kind :pool
        # @param members [Array<Processes::Member>] that are alike
        # @param first [String, nil] the pool that was asked about; nil: the one that is busiest
        # @return [Pools] ONE where a process has a single pool, or nobody knows who takes what
        def self.of(windows, members:, first: nil)
          found = members.map { |member| member.pools.select { |pool| pool.takes?(:job) && pool.max.to_i.positive? } }
          threads = found.map { |pools| pools.to_h { |pool| [pool.name, pool.max] } }.uniq
          return ONE unless threads.size == 1 && threads.first.size > 1 && windows.any?
          busy = found.flatten.group_by(&:name).transform_values { |same| same.sum { |pool| pool.busy.to_f } }
          new(threads.first.sort_by { |name, _| [(name == first) ? 0 : 1, -busy.fetch(name), name] }.to_h, units(windows))
        end

        def self.units(windows)
          windows.group_by { |window| window.series.queue }
            .transform_values { |same| same.group_by { |window| window.series.name }.transform_values { |each| each.sum(&:count) } }
        end
        private_class_method :units

        # @param threads [Hash{String => Integer}] by name, the one that is sized first
        # @param units [Hash{String => Hash{String => Integer}}] queue => pool => jobs that it ran of it
        def initialize(threads, units)
          @threads = threads
          @takers = units.transform_values { |ran| takers(ran) }
        end

        # @return [Array<String>] empty for ONE
        def names = @threads.keys

        # @return [Integer] of a process
        def threads = @threads.values.sum

        # @return [Array<Integer>] threads of the others
        def beside = @threads.values.drop(1)

        # @return [Boolean]
        def several? = names.any?

        # Where several pools look into its queue, units fall to them as often as they were seen to.
        # @param profile [UnitProfile]
        # @return [Integer] which of them takes it; the first where nobody knows
        def index(profile)
          takers = @takers[profile.series.queue]
          takers.is_a?(Lots) ? takers.draw(Random.new(profile.start_ns)) : takers.to_i
        end

        private

        # @return [Integer, Lots, nil]
        def takers(ran)
          known = ran.filter_map { |name, count| (at = names.index(name)) && [at, count] }
          (known.size > 1) ? Lots.new(known) : known.first&.first
        end
      end

      Pools::ONE = Pools.new({}, {})
    end
  end
end
