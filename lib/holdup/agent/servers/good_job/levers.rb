# frozen_string_literal: true

require_relative "../lever"

module Holdup
  module Servers
    class GoodJob
      # What of GoodJob in a process a person can turn. Settings are Ruby in any of Rails' configuration
      # files; what is given on the command line or in the environment is written nowhere that could be named.
      class Levers
        # A segment has no room for the words of many.
        LISTED = 4
        FILES = %w[config/application.rb config/environments/*.rb config/initializers/*.rb].freeze
        THREADS = /\A[^#]*\bgood_job\b[^#]*\b(?:max_)?threads\b/
        QUEUES = /\A[^#]*\bgood_job\b[^#]*\bqueues\b/
        PROCESSES = /\A[^#]*\bgood_job\b[^#]*\bsubprocesses\b/
        PRIORITY = /\A[^#]*\bgood_job\b[^#]*\blower_thread_priority\b/

        # @param threads [ThreadPools]
        # @param configuration [GoodJob::Configuration]
        # @param root [String] the application's folder
        def initialize(threads, configuration, root:)
          @threads = threads
          @configuration = configuration
          @root = root
        end

        # @return [Array<Lever>]
        def to_a
          [threads, *threads_of_queues, queues, processes, priority]
        end

        private

        # Of each pool that has no number of its own in the list of queues. (The configuration's own would say
        # so each time where it is still given by its earlier name.)
        def threads
          word = @configuration.respond_to?(:threads) ? "threads" : "max_threads" # renamed in 4.22
          where = line(THREADS)
          Lever.new(name: "threads", value: @threads.size, where:,
            how: where ? "config.good_job.#{word} = N" : "good_job start --#{word.tr("_", "-")} N, config.good_job.#{word} or GOOD_JOB_#{word.upcase}")
        end

        # Where queues are listed with numbers, these count. No value: the same number may stand there for
        # several.
        def threads_of_queues
          parts = @configuration.queue_string.split(";")
          return [] if parts.size > LISTED || (parts.size < 2 && !parts.first.to_s.include?(":"))
          parts.map { |part| part[/[^:]*/] }.each_with_index.map { |name, index|
            listed(name, [*parts.first(index), "#{name}:N", *parts.drop(index + 1)].join(";"))
          }
        end

        def listed(name, list)
          where = line(QUEUES)
          Lever.new(name: "threads (#{name})", value: nil, where:,
            how: where ? "config.good_job.queues = \"#{list}\"" : "good_job start --queues \"#{list}\", config.good_job.queues or GOOD_JOB_QUEUES")
        end

        def queues
          Lever.new(name: "queues", value: @configuration.queue_string, where: line(QUEUES),
            how: "good_job start --queues \"mails:2;*:5\" (threads behind the colon), config.good_job.queues or GOOD_JOB_QUEUES")
        end

        def processes
          how = @configuration.respond_to?(:subprocesses) ? "good_job start --subprocesses N or GOOD_JOB_SUBPROCESSES" : "start more processes"
          Lever.new(name: "processes", value: @threads.processes || 1, where: line(PROCESSES), how:)
        end

        def priority
          Lever.new(name: "priority", value: @threads.priority, live: true, where: line(PRIORITY),
            how: "config.good_job.lower_thread_priority = true or false; now: GoodJob.capsule.lower_thread_priority =")
        end

        def line(pattern)
          files = Dir[*FILES.map { |each| File.join(@root, each) }].sort
          files.filter_map { |file| found(file, pattern) }.last
        end

        def found(file, pattern)
          number = File.foreach(file, encoding: "UTF-8").with_index(1).filter_map { |line, at|
            at if pattern.match?(line.scrub)
          }.last
          "#{file.delete_prefix("#{@root}/")}:#{number}" if number
        end
      end
    end
  end
end
