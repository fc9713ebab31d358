# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # Each job as a bar on one scale of time: dots while it was in the queue, then its states with their own
      # lengths. In truth running and stalled alternate; a bar has each state in one piece.
      class Bars
        QUEUED = "."

        # @param result [VcpuResult]
        # @param words [View::Words]
        # @param width [Integer] columns
        def initialize(result, words:, width:)
          @result = result
          @words = words
          @width = width
        end

        # @return [Array<Array(String, String)>] label and bar
        def lines
          [[" " * label_width, scale], *@result.lines.flat_map { |line| experiment(line) }]
        end

        private

        def experiment(line)
          jobs = line.best.jobs
          first_ns = jobs.map(&:queued_ns).min
          jobs.each_with_index.map { |job, index|
            [label(index.zero? ? name(line) : "", job), bar(job, first_ns)]
          }
        end

        def name(line)
          @words.call(:"lab_#{line.experiment.name}")
        end

        def label(name, job)
          "#{View::Width.left(name, label_width - 3)} #{job.name[-1]} "
        end

        def bar(job, first_ns)
          waited = columns(job.queued_ns - first_ns)
          QUEUED * waited + View::Bar.draw(job.split, columns(job.done_ns - first_ns) - waited)
        end

        # A mark at each multiple of one job alone.
        def scale
          marks = (0..longest_ns.fdiv(alone_ns).round(1).floor).to_h { |times|
            [columns(times * alone_ns), "#{times}x"]
          }
          marks.each_with_object(+"") { |(at, text), line| line << " " * [at - line.size, 0].max << text }
        end

        def columns(ns) = (ns * per_ns).round

        # Room for the last mark, which stands to the right of its place.
        def per_ns
          @per_ns ||= (@width - label_width - 2).fdiv([longest_ns, alone_ns].max)
        end

        def longest_ns
          @result.lines.map { |line| line.best.in_all_ns }.max
        end

        def alone_ns = @result.alone.each_ns

        def label_width
          @label_width ||= @result.lines.map { |line| View::Width.of(name(line)) }.max + 3
        end
      end
    end
  end
end
