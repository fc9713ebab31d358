# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      class Recording
      end

      # When the units of a recording came, minute by minute, as the store counted them (see ArrivalBlock).
      # Older recordings have none.
      class Recording::ArrivalTimes
        # A minute is not known if the rings lost more than this share of its units.
        MISSED = 0.01
        # Seconds from which a minute counts as recorded whole.
        WHOLE_S = 0.9 * MINUTE_S
        # Share of the units of a second that independent arrivals have in the same tenth.
        BY_CHANCE = 1.0 / ArrivalCounts::TENTHS

        # A minute of a host. `seconds`: how many units came in each; `length_s`: of which it was recorded,
        # for the first and the last minute less than 60
        HostMinute = Data.define(:host, :start_s, :seconds, :length_s) do
          def initialize(host:, start_s:, seconds:, length_s: MINUTE_S)
            super
          end

          def count = seconds.sum

          # The first and the last minute of a recording lack at least a part of a second.
          def whole? = length_s >= WHOLE_S

          # @return [Numeric] seconds of the minute before it was recorded
          def from_s
            return 0 if length_s >= MINUTE_S
            last = seconds.rindex(&:positive?).to_i
            (last < length_s) ? 0 : MINUTE_S - length_s
          end
        end

        # @param blocks [Array<ArrivalBlock>]
        # @param fingerprints [Array<String>] of the settings that count
        def initialize(blocks, kind:, fingerprints: nil)
          own = blocks.select do |block|
            fingerprints.nil? || fingerprints.include?(block.setting.fingerprint)
          end
          @counts = own.group_by { |block| [block.start_s, block.host] }.filter_map do |key, same|
            counts = counts_of(same, kind)
            [key, counts] if counts
          end.to_h
        end

        def any? = @counts.any?

        # @return [Hash{Integer => Array<HostMinute>}] start of a minute => a minute of each host
        def minutes
          @minutes ||= begin
            found = @counts.map do |(start_s, host), counts|
              HostMinute.new(host:, start_s:, seconds: counts.seconds) if known?(counts)
            end
            found.compact.group_by(&:start_s)
          end
        end

        # @return [Array<String>] that counted any
        def hosts
          @hosts ||= @counts.keys.map(&:last).uniq
        end

        # @return [Float] share of the units that said how long they were queued
        def stamped
          all = @counts.each_value.sum(&:total)
          all.zero? ? 0.0 : @counts.each_value.sum(&:stamped).fdiv(all)
        end

        # How often two units of the same second came together, beyond chance: page loads that send several
        # requests, or a job that enqueues others.
        # @return [Float] 0.0: never
        def together
          @together ||= begin
            pairs = @counts.each_value.sum(&:pairs)
            close = pairs.zero? ? 0.0 : @counts.each_value.sum(&:close_pairs).fdiv(pairs)
            certain = SelfTest::ErrorCauses::ArrivalVariation::CERTAIN
            chance = certain * Math.sqrt(BY_CHANCE * (1 - BY_CHANCE) / [pairs, 1].max)
            (close > BY_CHANCE + chance) ? ((close - BY_CHANCE) / (1 - BY_CHANCE)).clamp(0.0, 1.0) : 0.0
          end
        end

        private

        # @return [ArrivalCounts, nil] of all pools
        def counts_of(blocks, kind)
          found = blocks.flat_map do |block|
            block.counts.select { |unit_pool, _| unit_pool.kind == kind }.values
          end
          found.reduce(:+)
        end

        def known?(counts)
          counts.missed <= MISSED * counts.total
        end
      end
    end
  end
end
