# frozen_string_literal: true

module Holdup
  module Advise
    # When the jobs that wait now are done: a sentence, and tables of settings and queues.
    class BacklogText
      COLUMNS = %i[processes threads done_column].freeze
      # Share by which another number of threads has to be faster to be said first.
      FASTER = 0.05

      # @param backlog [Sizing::BacklogCompletion::BacklogAnswer]
      def initialize(backlog, words:)
        @backlog = backlog
        @words = words
      end

      # @return [String]
      def sentence
        return word(:endless, **jobs, threads: threads(@backlog.now)) unless @backlog.now.done_ns
        best = fastest
        times = [time(:at_now, @backlog.now), *(time(:at, best) if best)]
        word(@backlog.more ? :done_more : :done, **jobs, times: @words.list(times))
      end

      # @param limit [Integer] rows
      # @return [Array<View::Section>]
      def sections(limit:) = [settings, queues(limit)]

      private

      def word(key, **facts) = @words.call(:"backlog_#{key}", **facts)

      def jobs = {jobs: View::Figures.count(@backlog.jobs)}

      def time(key, found)
        word(key, time: View::Figures.rough(found.done_ns), threads: threads(found))
      end

      # Of the pool that is asked about, in a process.
      def threads(found) = found.candidate.caps.first

      # Settings with as many processes as now.
      def alike
        now = @backlog.now.candidate.processes
        @backlog.times.select { |found| found.candidate.processes == now }
      end

      # The fewest threads that are nearly as fast as any, if they are faster than those of now.
      def fastest
        ended = alike.select(&:done_ns)
        least_ns = ended.map(&:done_ns).min * (1 + FASTER)
        found = ended.select { |one| one.done_ns <= least_ns }.min_by { |one| threads(one) }
        found if found.done_ns * (1 + FASTER) < @backlog.now.done_ns
      end

      def settings
        rows = @backlog.times.map do |found|
          [View::Figures.count(found.candidate.processes), View::Figures.count(threads(found)),
            found.done_ns ? View::Figures.duration(found.done_ns) : word(:never)]
        end
        View::Section.new(title: word(:settings), columns: COLUMNS.map { |key| word(key) }, rows:, notes:)
      end

      def notes
        rate = @backlog.arrival_rate
        arrivals = rate.positive? ? word(:arrivals, rate: View::Figures.rate(rate)) : word(:no_arrivals)
        names = @backlog.unrecorded.map { |name| View::Width.clean(name) }
        pool = word(:pool, pool: View::Width.clean(@backlog.pool)) if @backlog.pool
        [arrivals, *pool, *(word(:unrecorded, queues: @words.list(names)) if names.any?)]
      end

      def queues(limit)
        threads = alike.map { |found| word(:threads_column, threads: threads(found)) }
        rows = @backlog.waiting.first(limit).map do |name, waiting|
          [View::Width.clean(name), View::Figures.count(waiting), *alike.map { |found| wait(found, name) }]
        end
        View::Section.new(title: word(:queues), columns: [word(:queue), word(:waiting), *threads], rows:,
          notes: [word(:queues_mean)])
      end

      def wait(found, name)
        queue = found.queues.find { |one| one.name == name }
        queue ? View::Figures.duration(queue.mean_ns) : word(:never)
      end
    end
  end
end
