# frozen_string_literal: true

module Holdup
  module Analysis
    class StallPairs
      # A stretch of time in which stall and its causes balance, so that who caused and who suffered met in
      # it.
      #
      # A unit's stall, and what it caused, are told when it ends. So a minute in which a long job held the
      # others up has their stall, and the minute in which it ends has the cause: such minutes have to be
      # looked at together.
      class StallCell
        # How far stall and causes may be apart, as a share of the larger.
        BALANCE = 0.02

        # @param windows [Array<Array<StallPart>>] of one setting and host, in the order of time
        # @return [Array<StallCell>]
        def self.of(windows)
          windows.each_with_object([new]) do |parts, cells|
            cells << new if cells.last.balanced?
            parts.each { |part| cells.last.add(part) }
          end
        end

        attr_reader :suffered, :caused

        def initialize
          @suffered = Hash.new(0)
          @caused = Hash.new(0)
          @all_suffered = @all_caused = 0
        end

        # Units that ran inside others are in the outer ones too: their own book takes them off once.
        # @param part [StallPart]
        # @return [void]
        def add(part)
          sign = (part.series.kind == :nested) ? -1 : 1
          @all_suffered += sign * part.suffered
          @all_caused += sign * part.caused
          return if sign.negative?
          @suffered[part.series] += part.suffered
          @caused[part.series] += part.caused
        end

        # @return [Integer] ns of stall, or of what was caused where that is more
        def total = [@all_suffered, @all_caused].max

        # @return [Boolean]
        def balanced?
          total.positive? && (@all_suffered - @all_caused).abs <= BALANCE * total
        end
      end
    end
  end
end
