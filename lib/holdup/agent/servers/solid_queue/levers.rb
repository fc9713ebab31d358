# frozen_string_literal: true

require_relative "../identity"

module Holdup
  module Servers
    class SolidQueue
      # Settings of a Solid Queue process that a restart can change: threads and processes of each worker.
      class Levers
        # SolidQueue::Worker (solid_queue/worker.rb) makes its pool in `initialize`. The pool only tells its
        # size, and so does the executor of concurrent-ruby below it (`max_length`).
        FIXED = :solid_queue

        def initialize(groups, topology, file:, environment:)
          @groups = groups
          @topology = topology
          @file = file
          @environment = environment
        end

        def to_a
          @groups.uniq.flat_map { |group| [threads(group), processes(group)].compact }
        end

        private

        def threads(group)
          lever(group, group.fibers ? "fibers" : "threads", group.size)
        end

        def processes(group)
          lever(group, "processes", @topology.processes(group)) if @topology&.fork?
        end

        # Has the queues' names where a process has several groups.
        def lever(group, word, value)
          where, variable = @file.find(group.queues, word, environment: @environment)
          name = @groups.uniq.one? ? word : "#{word} (#{group.queues})"
          write = variable ? "#{variable}=N" : "#{word}: N"
          how = variable ? :solid_queue_variable : :solid_queue_worker
          facts = {"word" => word, "queues" => group.queues, "file" => SettingSource::DEFAULT}
          Lever.new(name:, value:, where:, write:, how:, facts:)
        end
      end

      # Where config/queue.yml (or another file) sets a worker's threads and processes. Read as text: a parsed
      # file has no line numbers, and its ERB parts name the variable that decides.
      class SettingSource
        DEFAULT = "config/queue.yml"
        OPTIONS = %w[-c --config_file --config-file].freeze
        ITEM = /\A\s*-\s+\w+:/
        SECTION = /\A(\w+):/
        QUEUES = /\bqueues:\s*(.+?)\s*\z/
        NOISE = /["'\[\]\s]/
        VARIABLE = /\bENV\b\W*(?:fetch\W*)?["'](\w+)["']/

        def self.used(env:, arguments:, root:)
          option = OPTIONS.filter_map { |name| arguments.index(name) }.first
          path = (option && arguments[option + 1]) || env["SOLID_QUEUE_CONFIG"] || DEFAULT
          new(path, root)
        end

        def initialize(path, root)
          @path = path
          file = File.expand_path(path, root)
          lines = File.file?(file) ? File.readlines(file, encoding: "UTF-8") : []
          @lines = lines.map(&:scrub).each.with_index(1).to_a
        end

        # @param queues [String] of the worker: "mails,urgent"
        # @return [Array(String, String), nil] "config/queue.yml:7" and the deciding variable or nil
        def find(queues, word, environment:)
          line, number = entry(queues, environment)&.find { |text, _| text.match?(/\b#{word}:/) }
          ["#{@path}:#{number}", line[VARIABLE, 1]] if number
        end

        private

        # The worker with these queues: the only one, else the one in this environment's section.
        def entry(queues, environment)
          matching = entries.select { |lines| queues_of(lines) == plain(queues) }
          return matching.first if matching.one?
          matching.find { |lines| section(lines.first.last) == environment }
        end

        def entries
          blocks = @lines.slice_before { |line, _| line.match?(ITEM) || line.match?(SECTION) }
          blocks.select { |lines| queues_of(lines) }
        end

        def queues_of(lines)
          written = lines.filter_map { |line, _| line[QUEUES, 1] }.first
          plain(written) if written
        end

        def plain(queues)
          queues.sub(/#.*/, "").gsub(NOISE, "")
        end

        def section(number)
          @lines.first(number).filter_map { |line, _| line[SECTION, 1] }.last
        end
      end
    end
  end
end
