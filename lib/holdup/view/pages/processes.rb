# frozen_string_literal: true

module Holdup
  module View
    module Pages
      # CPU and memory that processes use, and their limits.
      class Processes < Base
        SECTIONS = [Sections::Processes::WorkerTable, Sections::Pools::PoolTable,
          Sections::Pools::QueueTable].freeze

        def blocks
          return nothing unless measured?
          [*ceilings, (charted.block(query.limit, part:) unless charted.empty?), *tables].compact
        end

        # @return [Hash{String => Chart}]
        def charts = charted.to_h

        private

        def measured?
          !summary.empty? || summary.processes.members.any?
        end

        def charted
          span = shown if query["whole"]
          @charted ||= Charts::Processes.new(summary.processes, words: @words, span:)
        end

        def tables
          found = SECTIONS.filter_map { |kind| section(kind) }
          found.empty? ? [Blocks::Notes.new(texts: [word(:no_samples)])] : found
        end

        def ceilings
          summary.processes.machines.filter_map { |machine| machine.ceiling && lead(machine.ceiling) }
        end

        def lead(ceiling)
          sentence = Remarks::Ceiling.new(ceiling, words: @words)
          return Blocks::Lead.new(text: sentence.sentence, level: :warn) if ceiling.low?
          text = word(:ceiling_fine, vcpus: sentence.vcpus, processes: sentence.processes,
            range: sentence.range)
          Blocks::Lead.new(text:, level: :good)
        end
      end
    end
  end
end
