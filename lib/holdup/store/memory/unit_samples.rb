# frozen_string_literal: true

module Holdup
  module Store
    class Memory
    end

    # Samples of single units by ten minutes, setting and host.
    class Memory::UnitSamples
      BYTES_A_UNIT = 20

      def initialize
        @blocks = {}
      end

      # @param blocks [Array<SampleBlock>] units to add to the samples that exist
      # @return [Array<SampleBlock>] these samples with them
      def merged(blocks)
        blocks.group_by(&:key).map do |key, same|
          same.inject(@blocks[key] || same.first.with(seen: 0, profiles: [])) { |all, block|
            all.merge(block)
          }
        end
      end

      # @param blocks [Array<SampleBlock>] that take the place of those of the same key
      # @return [void]
      def save(blocks)
        blocks.each { |block| @blocks[block.key] = block }
      end

      # @return [Array<UnitSample>]
      def between(from_s, to_s, setting)
        SampleRetention.between(@blocks.values.select { |block| setting.nil? || block.setting == setting },
          from_s, to_s)
      end

      # @return [Array<Integer>]
      def starts(from_s, to_s)
        @blocks.keys.map(&:first).uniq.select { |start_s| start_s > from_s - SampleBlock::SECONDS && start_s < to_s }.sort
      end

      # @return [void]
      def prune(now_s, max_bytes)
        sizes = @blocks.values.map { |block|
          [block.start_s,
            block.profiles.size * BYTES_A_UNIT]
        }.sort_by { |start_s, _|
          -start_s
        }
        from_s = SampleRetention.from_s(sizes, now_s, max_bytes)
        @blocks.delete_if { |(start_s, *), _| start_s < from_s }
      end
    end
  end
end
