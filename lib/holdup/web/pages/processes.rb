# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # What processes take of the machine, and how much of it they could take.
      class Processes < Base
        include SummaryJson

        SECTIONS = [View::Sections::WorkerTable, View::Sections::PoolTable, View::Sections::QueueTable].freeze

        # @return [Array<Object>]
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
          found = SECTIONS.filter_map { |section| table(section) }
          found.empty? ? [Blocks::Notes.new(texts: [word(:no_samples)])] : found
        end

        def ceilings
          found = summary.processes.machines.filter_map { |machine| machine.ceiling && sentence(machine) }
          found.map { |text, level| Blocks::Lead.new(text:, level:) }
        end

        def sentence(machine)
          ceiling = View::CeilingSentence.new(machine.ceiling, words: @words)
          return [ceiling.sentence, :warn] if machine.ceiling.low?
          [word(:ceiling_fine, vcpus: ceiling.vcpus, processes: ceiling.processes, range: ceiling.range),
            :good]
        end
      end
    end
  end
end
