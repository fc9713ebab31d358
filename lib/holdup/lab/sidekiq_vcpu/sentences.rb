# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # The result in sentences: its meaning, advice and doubts.
      class Sentences
        # From this ratio on the same work took more CPU time by more than noise.
        SLOWER = 1.1

        def initialize(result, words:)
          @result = result
          @words = words
          @ceiling = View::Remarks::Ceiling.new(result.ceiling, words:)
        end

        def title
          @words.call(:lab_vcpu_title, vcpus: @ceiling.vcpus)
        end

        def facts
          setting = @result.alone.setting
          sentence = @words.call(:lab_vcpu_facts, sidekiq: setting["jobs_version"], ruby: setting["ruby"],
            alone: duration(@result.alone.each_ns))
          [sentence, *repeats]
        end

        # @return [String] the main sentence
        def headline
          return @ceiling.sentence if @result.ceiling.low?
          @words.call(:lab_vcpu_full, vcpus: @ceiling.vcpus, processes: @ceiling.processes)
        end

        def meaning = [threads, serial, processes, *halved]

        def advice
          [
            @words.call(:lab_advice_processes, needed: @result.ceiling.processes_needed),
            @words.call(:lab_advice_threads),
            @words.call(:lab_advice_scale)
          ]
        end

        # @return [Array<String>] differences from theory, with reasons
        def doubts
          doubts = @result.doubtful.map { |line| "#{off(line)} #{reason(line)}" }
          @result.starved? ? [starved, *doubts] : doubts
        end

        # @return [String] "2.00x"
        def self.times(ratio) = format("%.2fx", ratio)

        private

        def repeats
          return [] if @result.repeats == 1
          spread = share(@result.lines.map(&:spread).max)
          [@words.call(:lab_vcpu_repeats, count: @result.repeats, spread:)]
        end

        def threads
          best = line(:threads).best
          @words.call(:lab_means_threads,
            each: each(line(:threads)),
            running: duration(best.mean(:running_ns)),
            stalled: duration(best.mean(:stalled_ns)),
            share: share(best.caused_by_job))
        end

        def serial
          @words.call(:lab_means_serial, in_all: in_all(line(:serial)), at_once: in_all(line(:threads)))
        end

        def processes
          pair = line(:processes)
          key = (pair.expected.each > 1) ? :lab_means_processes_full : :lab_means_processes
          @words.call(key, each: each(pair), in_all: in_all(pair), cpu: used(pair, @result.vcpus),
            vcpus: @ceiling.vcpus)
        end

        # Compares the same work before and after doubling the vCPUs.
        def halved
          return [] if @result.vcpus < 2
          two = line(:threads)
          half = @result.vcpus.fdiv(2)
          cores = with_undisturbed(two.best.cores, two.undisturbed_cores) { |number| format("%.1f", number) }
          [@words.call(:lab_means_halved, cores:, before: used(two, half), half: vcpus(half),
            after: used(two, @result.vcpus), vcpus: @ceiling.vcpus)]
        end

        def each(line)
          with_undisturbed(line.each, line.undisturbed) { |ratio| times(ratio) }
        end

        def in_all(line)
          with_undisturbed(line.in_all, line.undisturbed_in_all) { |ratio| times(ratio) }
        end

        def used(line, vcpus)
          measured = line.best.cores / vcpus
          with_undisturbed(measured, line.undisturbed_cores / vcpus) { |part| share([part, 1.0].min) }
        end

        # If something else took the CPUs, the sentences add the figure without that time, because they
        # explain theory.
        def with_undisturbed(measured, undisturbed)
          return yield(measured) unless @result.starved?
          @words.call(:lab_undisturbed, undisturbed: yield(undisturbed), measured: yield(measured))
        end

        def vcpus(number)
          ceiling = Analysis::CpuCeiling.new(vcpus: number, processes: 1)
          View::Remarks::Ceiling.new(ceiling, words: @words).vcpus
        end

        def starved
          figures = @result.lines.map { |line| "#{name(line)} #{times(line.undisturbed)}" }
          without = figures.join(@words.call(:lab_and))
          @words.call(:lab_starved, share: share(@result.starved_share), without:)
        end

        def off(line)
          @words.call(:lab_off, experiment: name(line), each: times(line.each), in_all: times(line.in_all),
            expected_each: times(line.expected.each), expected_in_all: times(line.expected.in_all))
        end

        def reason(line)
          return @words.call(:lab_off_unknown) unless line.cpu > SLOWER
          @words.call(:lab_off_slower, ratio: times(line.cpu))
        end

        def name(line)
          @words.call(:"lab_#{line.experiment.name}")
        end

        def line(name) = @result.line(name)

        def times(ratio) = self.class.times(ratio)

        def share(fraction) = View::Figures.share(fraction)

        def duration(ns) = View::Figures.duration(ns)
      end
    end
  end
end
