# frozen_string_literal: true

module Holdup
  module Lab
    module Jit
      # How `holdup compare --states` finds the arms in a store that got the measurements: by the fingerprint
      # of their setting.
      class States
        # What a shell takes as it is.
        PLAIN = /\A[\w@%+=:,.\/-]+\z/

        # @param result [Sweep::SweepReport]
        def initialize(result)
          @readings = result.plan.rates.flat_map { |rate| result.lines(rate).flat_map(&:readings) }
        end

        # @return [Hash{String => String}] name of an arm => fingerprint of what its servers told, most of
        #   them
        def to_h
          @readings.group_by { |reading| reading.arm.setting.name }
            .transform_values { |own| own.map { |reading| Setting.new(attributes: reading.setting).fingerprint }.tally.max_by(&:last).first }
        end

        # @param store [String] URL or path
        # @return [String] for a shell
        def command(store)
          ["holdup", "compare", "--store", store, "--format", "markdown", "--states",
            *to_h.map { |pair| pair.join("=") }].map { |word| quoted(word) }.join(" ")
        end

        private

        def quoted(word)
          PLAIN.match?(word) ? word : "'#{word.gsub("'") { "'\\''" }}'"
        end
      end
    end
  end
end
