# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    class SidekiqVcpu
      # The result as a page: the main sentence, the figures, then their meaning.
      class Report
        def initialize(result, words: View::Words.new)
          @result = result
          @words = words
          @sentences = Sentences.new(result, words:)
        end

        # @return [View::Page]
        def page
          View::Page.new(title: @sentences.title, about: @sentences.facts,
            blocks: [View::Blocks::Lead.new(text: @sentences.headline),
              View::Blocks::Notes.new(texts: @sentences.doubts, warning: true), table, bars,
              list(:lab_meaning, @sentences.meaning), list(:lab_advice, @sentences.advice)])
        end

        private

        def table
          names = %i[lab_experiment lab_each lab_in_all lab_running lab_stalled lab_by_other lab_cpu]
          alarm = @words.call(:lab_alarm, target: format("%.0f %%", @result.target * 100))
          columns = [*names.map { |name| @words.call(name) }, alarm]
          View::Section.new(title: "", columns:, rows: @result.lines.map { |line| row(line) },
            notes: [@words.call(:lab_vcpu_note)])
        end

        def row(line)
          best = line.best
          [
            name(line),
            Sentences.times(line.each),
            Sentences.times(line.in_all),
            View::Figures.duration(best.mean(:running_ns)),
            View::Figures.duration(best.mean(:stalled_ns)),
            View::Figures.share(best.caused_by_job),
            View::Figures.share(best.cpu_share),
            @words.call(@result.alarm?(line) ? :lab_fires : :lab_silent)
          ]
        end

        # A bar shows the totals of running and stalled, which in fact alternate.
        def bars
          bars = @result.lines.flat_map { |line| bars_of(line) }
          View::Blocks::TimeBars.new(title: @words.call(:lab_bars), bars:, unit_ns: @result.alone.each_ns,
            notes: [@words.call(:lab_bars_legend, states: states.join("  "))])
        end

        def states
          View::StateLooks::ALL.map { |state, look| "#{look.symbol} #{@words.call(:"state_#{state}")}" }
        end

        def bars_of(line)
          jobs = line.best.jobs
          first_ns = jobs.map(&:queued_ns).min
          jobs.map do |job|
            View::Blocks::TimeBar.new(group: name(line), name: job.name[-1], split: job.split,
              queued_ns: job.queued_ns - first_ns, ended_ns: job.done_ns - first_ns)
          end
        end

        def list(title, notes)
          View::Section.new(title: @words.call(title), columns: [], rows: [], notes:)
        end

        def name(line)
          @words.call(:"lab_#{line.experiment.name}")
        end

        # The result for programs. The keys are documented in docs/guide/sidekiq-vcpu.md and stable; new ones
        # may be added.
        class Json
          SCHEMA = 1

          # @param words [View::Words] for the sentences
          def initialize(result, words: View::Words.new)
            @result = result
            @sentences = Sentences.new(result, words:)
          end

          # @return [String] ends with a newline
          def call = "#{JSON.pretty_generate(to_h)}\n"

          def to_h
            {
              schema: SCHEMA,
              lab: "sidekiq-vcpu",
              setting: @result.alone.setting.attributes,
              vcpus: @result.vcpus,
              repeats: @result.repeats,
              autoscale_target: @result.target,
              alone_ns: @result.alone.each_ns.round,
              ceiling:,
              experiments: @result.lines.map { |line| experiment(line) },
              headline: @sentences.headline,
              meaning: @sentences.meaning,
              advice: @sentences.advice,
              doubts: @sentences.doubts
            }
          end

          private

          def ceiling
            ceiling = @result.ceiling
            {
              processes: ceiling.processes,
              low: ceiling.low.round(4),
              high: ceiling.high.round(4),
              alarm: ceiling.alarm(@result.target),
              processes_needed: ceiling.processes_needed
            }
          end

          def experiment(line)
            {
              name: line.experiment.name,
              **line.experiment.to_h.except(:name),
              **ratios(line),
              **shares(line),
              units: line.best.jobs.map { |job| job(job) }
            }
          end

          def ratios(line)
            ratios = {
              each: line.each,
              in_all: line.in_all,
              each_undisturbed: line.undisturbed,
              expected_each: line.expected.each,
              expected_in_all: line.expected.in_all,
              spread: line.spread
            }
            {
              **ratios.transform_values { |ratio| ratio.round(4) },
              as_expected: line.as_expected?,
              in_all_ns: line.best.in_all_ns
            }
          end

          def shares(line)
            best = line.best
            shares = {
              cpu_share: best.cpu_share,
              cores: best.cores,
              starved_share: best.starved_share,
              stall_caused_by_other_job: best.caused_by_job
            }
            {**shares.transform_values { |share| share&.round(4) }, alarm: @result.alarm?(line)}
          end

          def job(job)
            states = job.split.to_h.except(:stalled).transform_keys { |state| :"#{state}_ns" }
            {
              name: job.name,
              queued_ns: job.queued_ns,
              wall_ns: job.wall_ns,
              running_ns: job.running_ns,
              stalled_ns: job.stalled_ns,
              **states
            }
          end
        end
      end

      # The result in sentences: its meaning, advice and doubts.
      class Report::Sentences
        # The same work took more CPU time by more than noise from this ratio on.
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

        # The sentences add the figure without the time in which something else took the CPUs, because they
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
