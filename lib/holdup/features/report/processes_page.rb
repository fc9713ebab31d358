# frozen_string_literal: true

module Holdup
  module Report
    # What runs now in the processes of this host; CPU and memory that processes use, and their limits.
    class ProcessesPage < View::PageBase
      SECTIONS = [Sections::Processes::WorkerTable, Sections::Pools::PoolTable,
        Sections::Pools::QueueTable].freeze

      def blocks
        return [*running, *nothing] unless measured?
        over_time = charted.block(query.limit, part:) unless charted.empty?
        [*running, *shortages, *unequal, *ceilings, over_time, *tables].compact
      end

      # @return [Hash{String => View::Chart}]
      def charts = charted.to_h

      private

      # Of the host of the dashboard only: a report has none, and other hosts' segments are elsewhere.
      def running
        return [] unless @context
        work = Ps::Reader.new(@context.dir, clock: @context.clock).look
        work.processes.empty? ? [] : Ps::Report.new(work, words: @words, limit: query.limit).blocks
      end

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
        @charted ||= View::Charts::Processes.new(summary.processes, words: @words, span:)
      end

      def tables
        found = SECTIONS.filter_map { |kind| section(kind) }
        found.empty? ? [View::Blocks::Notes.new(texts: [word(:no_samples)])] : found
      end

      # How much of the CPUs the processes could reach is no good news if CPUs are missing.
      def ceilings
        machines = summary.machines.select(&:ceiling)
        machines = machines.select { |machine| machine.ceiling.low? } if shortages.any?
        machines.map { |machine| lead(machine.ceiling) }
      end

      def unequal
        found = UnequalProcessesReader.call(store, from_s: query.from_s, to_s: query.until_s)
        return [] unless found
        [View::Blocks::Lead.new(text: UnequalProcesses::Sentence.new(@words).call(found), level: :warn)]
      end

      def shortages
        @shortages ||= summary.processes.machines.filter_map do |machine|
          shortage = Analysis::CpuShortage.of_machine(machine) or next
          text = View::Remarks::OutOfCpu.sentence(shortage, words: @words)
          View::Blocks::Lead.new(text: named(machine, text), level: :warn)
        end
      end

      def named(machine, text)
        return text if summary.processes.machines.one?
        word(:ceiling_on, host: View::Width.clean(machine.host), text:)
      end

      def lead(ceiling)
        sentence = View::Remarks::Ceiling.new(ceiling, words: @words)
        return View::Blocks::Lead.new(text: sentence.sentence, level: :warn) if ceiling.low?
        text = word(:ceiling_fine, vcpus: sentence.vcpus, processes: sentence.processes,
          range: sentence.range)
        View::Blocks::Lead.new(text:, level: :good)
      end
    end
  end
end
