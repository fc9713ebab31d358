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
          [*shortages, *ceilings, (charted.block(query.limit, part:) unless charted.empty?), *tables].compact
        end

        # @return [Hash{String => Chart}]
        def charts = charted.to_h

        private

        # Samples may be there without requests and jobs.
        def parts(summary)
          return [:samples] unless summary.read?(:samples)
          return [] if summary.empty? && summary.processes.members.empty?
          [*summary.parts_of_machines, *SECTIONS.flat_map { |kind| kind.parts(summary) }]
        end

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

        # Where CPUs are missing, how much of them the processes could reach is no good news.
        def ceilings
          machines = summary.machines.select(&:ceiling)
          machines = machines.select { |machine| machine.ceiling.low? } if shortages.any?
          machines.map { |machine| lead(machine.ceiling) }
        end

        def shortages
          @shortages ||= summary.processes.machines.filter_map do |machine|
            shortage = Analysis::CpuShortage.of_machine(machine) or next
            text = Remarks::OutOfCpu.sentence(shortage, words: @words)
            Blocks::Lead.new(text: named(machine, text), level: :warn)
          end
        end

        def named(machine, text)
          return text if summary.processes.machines.one?
          word(:ceiling_on, host: Width.clean(machine.host), text:)
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
