# frozen_string_literal: true

module Holdup
  module Analysis
    # Which requests or jobs leave memory behind, from those that their processes watched (RetainedObjects):
    # how many objects of each are still there after collections.
    #
    # A name is said to make its processes grow if it does so in the older and in the newer half of the time:
    # a cache that fills has its objects from the older half, one that replaces its entries from the newer.
    # The blocks of watches in each half are drawn anew (block bootstrap). By chance, all drawn blocks are
    # without retained objects with the probability (blocks without / blocks)^blocks. It has to be below 1 %,
    # corrected for the number of names by Holm (1979, Scandinavian Journal of Statistics 6).
    class RetainedMemory
      CHANCE_BELOW = 0.01
      # Watches of a name that retain objects, in each half.
      FEWEST = 2
      LEAST_BLOCKS = 2
      BOOTSTRAP_DRAWS = 1000
      BOOTSTRAP_SEED = 1
      # Ends of a 95 % interval.
      TAILS = [0.025, 0.975].freeze
      KEY = /\Aretained\.(\d+)\.name\z/

      # As HeapGrowth::GrowingName, which comes without `watched`: how many were watched, of which `retaining`
      # retained objects. `majors`: collections of old objects in these processes meanwhile
      RetainingName = Data.define(:name, :each_bytes, :each_within, :bytes, :grown_bytes, :watched,
        :retaining, :majors) do
        def share = bytes.fdiv([grown_bytes, 1].max)

        # As if it were a standard error.
        def error_bytes = (each_within.last - each_within.first) / (2 * HeapGrowth::INTERVAL)
      end

      # `older`, `newer`: tallies of one name in the halves of each process's time
      NameBlocks = Data.define(:name, :older, :newer) do
        def all = older + newer

        def watched = all.sum(&:watched)

        def retaining = all.sum(&:retaining)

        def each_bytes = all.sum(&:bytes).fdiv(watched)

        # @return [Float] of a draw in which one half retains nothing
        def probability = [older, newer].map { |blocks| chance(blocks) }.max

        private

        def chance(blocks)
          return 1.0 if blocks.size < LEAST_BLOCKS || blocks.sum(&:retaining) < FEWEST
          blocks.count { |block| block.retaining.zero? }.fdiv(blocks.size)**blocks.size
        end
      end
      private_constant :NameBlocks

      # @param samples [Array<Hash{Symbol => Object}>] of the processes (Store#processes)
      # @param counts [Hash{String => Integer}] requests and jobs by name
      # @param each_host [Numeric] hosts for which each host of the samples stands
      def initialize(samples, counts, each_host: 1)
        processes = samples.reject { |sample| ProcessReport::SampleTrail.container?(sample) }
        @trails = ProcessReport::SampleTrail.all(processes.sort_by { |sample| sample[:at_s] })
        @counts = counts
        @each_host = each_host
      end

      # How many requests and jobs were watched.
      def watched = sum(:"retained.watched")

      # By how much the processes grew between their first and last samples.
      # @return [Integer] bytes
      def grown_bytes
        @grown_bytes ||= @each_host * @trails.sum do |trail|
          sizes = trail.points(:rss_bytes)
          sizes.empty? ? 0 : sizes.last.last - sizes.first.last
        end
      end

      # @return [Array<RetainingName>] those that are certain, the largest growth first
      def names
        found = certain.map { |blocks| retaining(blocks) }
        found.sort_by { |one| [-one.bytes, one.name] }
      end

      # What the names do not explain; all of them and this are the growth of the processes.
      def rest_bytes = grown_bytes - names.sum(&:bytes)

      private

      def sum(key) = @trails.sum { |trail| trail[key].to_i }

      def certain
        tested = blocks_by_name.sort_by { |blocks| [blocks.probability, blocks.name] }
        all = [@trails.filter_map { |trail| trail[:"retained.names"] }.max.to_i, tested.size].max
        sure = tested.each_with_index.take_while do |blocks, index|
          blocks.probability * (all - index) < CHANCE_BELOW
        end
        sure.map(&:first)
      end

      def retaining(blocks)
        name = whole_name(blocks.name)
        each_bytes = blocks.each_bytes
        RetainingName.new(name:, each_bytes:, each_within: interval(blocks.all),
          bytes: (each_bytes * @counts.fetch(name, 0)).round, grown_bytes:, watched: blocks.watched,
          retaining: blocks.retaining, majors: sum(:"retained.majors"))
      end

      # A profile has the beginning of a long name.
      def whole_name(name)
        return name if name.size < FlatJson::LONGEST_VALUE
        @counts.keys.find { |known| known.start_with?(name) } || name
      end

      # @return [Array(Float, Float)]
      def interval(blocks)
        random = Random.new(BOOTSTRAP_SEED)
        means = Array.new(BOOTSTRAP_DRAWS) do
          drawn = blocks.map { blocks.sample(random:) }
          drawn.sum(&:bytes).fdiv(drawn.sum(&:watched))
        end
        means.sort!
        TAILS.map { |tail| means[(tail * (BOOTSTRAP_DRAWS - 1)).round] }
      end

      def blocks_by_name
        @blocks_by_name ||= begin
          found = @trails.flat_map { |trail| of_process(trail) }.group_by(&:name)
          found.map do |name, same|
            NameBlocks.new(name:, older: same.flat_map(&:older), newer: same.flat_map(&:newer))
          end
        end
      end

      def of_process(trail)
        keys = (0...RetainedBlocks::REPORTED_NAMES).map { |index| "retained.#{index}" }
        keys.filter_map { |key| halves(*%w[name units bytes].map { |part| trail[:"#{key}.#{part}"] }) }
      end

      def halves(name, units, bytes)
        return unless name && units && bytes
        tallies = RetainedBlocks.parse(units, bytes)
        older, newer = tallies.each_slice([tallies.size.ceildiv(2), 1].max).to_a
        watched = [older, newer.to_a].map { |blocks| blocks.select { |block| block.watched.positive? } }
        NameBlocks.new(name:, older: watched.first, newer: watched.last)
      end
    end
  end
end
