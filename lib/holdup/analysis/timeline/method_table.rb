# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # Which methods held the GVL, waited for it, and made others wait, by endpoint or job.
    class MethodTable
      # `method`: nil for what had no stack; `path`: nil for C code; `line`: where it begins; `unit`: name of
      # the units, nil outside of units; `held`, `stalled`, `caused`: ticks
      MethodRow = Data.define(:method, :path, :line, :unit, :held, :stalled, :caused)

      # @param scene [Scene]
      # @param from [Integer] ticks
      # @param to [Integer]
      def initialize(scene, from: 0, to: scene.recording.length_ticks)
        @stacks = scene.recording.stacks
        @shares = StackShares.new(scene, Excerpt.new(scene, from:, to:))
      end

      # @return [Array<MethodRow>] what made others wait most first
      def call
        sums = Hash.new { |hash, key| hash[key] = Hash.new(0) }
        StackShares::MODES.each { |mode| @shares.call(mode).each { |share| sums[key(share)][mode] += share.ticks } }
        sums.map { |key, ticks| row(key, ticks) }.sort_by { |row| [-row.caused, -row.held, -row.stalled] }
      end

      private

      def key(share)
        [share.unit&.name, *(called[share.stack] if share.stack)]
      end

      # By number of the stack.
      def called
        @called ||= Hash.new do |hash, stack|
          frame = @stacks.running(stack)
          hash[stack] = [frame&.method_name, frame&.path, frame&.line]
        end
      end

      def row(key, ticks)
        unit, method, path, line = key
        MethodRow.new(method:, path:, line:, unit:, held: ticks[:held], stalled: ticks[:stalled],
          caused: ticks[:caused])
      end
    end
  end
end
