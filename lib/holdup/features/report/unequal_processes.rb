# frozen_string_literal: true

module Holdup
  module Report
    # Whether one of the processes of a server had more of the requests or jobs than the others, or far
    # slower ones.
    module UnequalProcesses
      # Of one process, against its share of the time and the p95 of the others: both, or one of them.
      NOTABLE = 1.5
      STRIKING = 3.0
      # Requests or jobs that the process must have had, and the others together.
      FEW = 100
      QUANTILE = 0.95

      # One process of a server. `covered_s`: in which it was measured; `wall`: Histogram
      MeasuredWorker = Data.define(:server, :host, :name, :covered_s, :wall) do
        def count = wall.count
      end

      # `process`: MeasuredWorker; `hosts`: Integer, of its server; `share`: of the requests or jobs; `equal`:
      # its share if all were alike; `p95_ns`: its own; `others_p95_ns`: of the others together
      Unequal = Data.define(:process, :hosts, :share, :equal, :p95_ns, :others_p95_ns) do
        def load = share / equal

        def times = p95_ns.fdiv(others_p95_ns)

        def notable?
          ratios = [load, times]
          ratios.all? { |ratio| ratio >= NOTABLE } || ratios.any? { |ratio| ratio >= STRIKING }
        end
      end

      # @param sums [Array<SpanSum>] of windows of processes, by host
      # @return [Unequal, nil] the most unequal one; nil where all are alike
      def self.call(sums)
        found = processes(sums).group_by(&:server).values.flat_map { |same| unequal(same) }
        found.select(&:notable?).max_by { |one| one.load * one.times }
      end

      def self.processes(sums)
        groups = sums.group_by do |sum|
          [RecentFigures.group(sum.window.setting), sum.window.host, sum.window.series.name]
        end
        groups.map do |(server, host, name), same|
          MeasuredWorker.new(server:, host:, name:, covered_s: same.sum(&:covered_s),
            wall: Histogram.sum(same.map { |sum| sum.window.histograms.fetch(:wall) }))
        end
      end

      def self.unequal(processes)
        count, covered_s = [processes.sum(&:count), processes.sum(&:covered_s)]
        enough = processes.select do |one|
          [one.count, count - one.count].min >= FEW && one.covered_s.positive?
        end
        enough.map do |one|
          others = Histogram.sum((processes - [one]).map(&:wall))
          Unequal.new(process: one, hosts: processes.map(&:host).uniq.size, share: one.count.fdiv(count),
            equal: one.covered_s.fdiv(covered_s), p95_ns: one.wall.quantile(QUANTILE),
            others_p95_ns: others.quantile(QUANTILE))
        end
      end
      private_class_method :processes, :unequal

      # What a page says of it.
      class Sentence
        def initialize(words)
          @words = words
        end

        # @param unequal [Unequal]
        # @return [String]
        def call(unequal)
          shares = {share: View::Figures.share(unequal.share), equal: View::Figures.share(unequal.equal)}
          times = {own: View::Figures.duration(unequal.p95_ns),
                   others: View::Figures.duration(unequal.others_p95_ns), times: unequal.times.round(1).to_s}
          @words.call(:remark_unequal, process: process(unequal), **shares, **times)
        end

        private

        def process(unequal)
          name = View::Width.clean([unequal.process.server, unequal.process.name].join(" "))
          return name if unequal.hosts == 1
          @words.call(:process_of_host, host: View::Width.clean(unequal.process.host), process: name)
        end
      end
    end
  end
end
