# frozen_string_literal: true

module Holdup
  module View
    # Sentences that reports and pages share.
    module Remarks
      # The CPU ceiling of a container in words.
      class Ceiling
        def initialize(ceiling, words:)
          @ceiling = ceiling
          @words = words
        end

        # @return [String, nil] for the machine with the lowest ceiling, if the ceiling matters
        def self.remark(machines, words:)
          limited = machines.select { |machine| machine.ceiling&.low? }
          low = limited.min_by { |machine| machine.ceiling.low } or return
          text = new(low.ceiling, words:).sentence
          machines.one? ? text : words.call(:ceiling_on, host: Width.clean(low.host), text:)
        end

        # @return [String] "2 vCPUs, 1 process: CPU can never pass 50-55 %; ..."
        def sentence
          @words.call(:ceiling, vcpus:, processes:, range:, target: percent(@ceiling.unreachable), idle:)
        end

        # @return [String] "2 vCPUs"
        def vcpus = counted(:ceiling_vcpus, @ceiling.vcpus)

        # @return [String] "1 process"
        def processes
          counted(:ceiling_processes, @ceiling.processes)
        end

        # @return [String] "50-55 %"
        def range
          low, high = [@ceiling.low, @ceiling.high].map { |share| (share * 100).round }
          (low == high) ? "#{low} %" : "#{low}-#{high} %"
        end

        private

        def percent(share)
          "#{(share * 100).round} %"
        end

        def idle
          counted(:ceiling_idle, @ceiling.idle_vcpus.round(1))
        end

        def counted(key, number)
          @words.call(key, count: (number % 1).zero? ? number.to_i.to_s : number.round(2).to_s)
        end
      end

      # That the machine has too few CPUs: whatever else a report says, this comes first.
      module OutOfCpu
        # @param shortage [Analysis::CpuShortage]
        # @return [String]
        def self.sentence(shortage, words:)
          words.call(:"out_of_cpu_#{shortage.culprit}", share: Figures.share(shortage.share),
            taken: cpus(shortage.taken), vcpus: cpus(shortage.vcpus))
        end

        # @return [String, nil] "1.7"
        def self.cpus(number) = number&.round(1)&.to_s&.delete_suffix(".0")
      end

      # The remark that figures cover several applications, for reports and comparisons.
      module Applications
        # @return [String, nil] nil for a single application
        def self.remark(found, words:)
          found.several? ? words.call(:remark_applications, count: found.shares.size,
            apps: Width.clean(found.to_s)) : nil
        end
      end

      # The remark that requests and jobs have ended which the report does not include yet.
      module Uncollected
        def self.remark(look, now_s:, words:)
          return if look.nil? || look.units.zero?
          count = Figures.count(look.units)
          return words.call(:remark_uncollected_no_collector, count:) unless look.collecting
          return words.call(:remark_uncollected_first, count:) unless look.at_ns
          words.call(:remark_uncollected, count:, ago: ago(look.at_ns, now_s))
        end

        # The result is at least a second: `now_s` has no fraction, so the collector may seem to come later
        # than now.
        def self.ago(at_ns, now_s)
          Figures.duration([now_s * NS - at_ns, NS].max)
        end
        private_class_method :ago
      end
    end
  end
end
