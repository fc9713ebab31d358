# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Predicted against measured, after the change: replays the units recorded before it on the present
      # setting, at the load since then. This judges the prediction, not a load that differs from the old
      # peak.
      class Verification
        # `name`: :response, :p95 of it, or :wait (queued + stalled); ns. `error`: of the prediction against
        # the measurement, of waits against the response (1 ms instead of 2 of 300 does not matter), with
        # `interval` (90 %)
        VerifiedFigure = Data.define(:name, :before, :predicted, :measured, :error, :interval) do
          # Whether it came true: a tenth off, or within chance.
          def kept?
            error.abs <= self.class::CLOSE || interval.cover?(0.0)
          end
        end
        VerifiedFigure::CLOSE = 0.1

        # A self-test's inputs: demand as recorded before and units to replay (`replayed`) from then; figures,
        # `units` (how many) and `unit_samples` since.
        RecordingPair = Data.define(:kind, :demand, :growth_estimate, :replayed, :units, :unit_samples,
          :held_per_cpu, :measured, :resource_wait_ns, :machine_speed) do
          # A closed load since then replays the units from before at each of its levels.
          def on_free_cpus(_) = replayed

          # Units from before have no minute of the time since.
          def speed_effect = SpeedEffect::NONE
        end

        # The answer. `candidate`: what was tried; `units`: since; `lines`: VerifiedFigures; `causes`:
        # SelfTest::ErrorCauses::FoundCauses; `sliced`: whether the time slice changed; `queued`: whether the
        # waits for a thread are known, else waits are stall alone
        VerificationResult = Data.define(:candidate, :units, :lines, :causes, :sliced, :queued) do
          def kept? = lines.all?(&:kept?)
        end

        NAMES = %i[response p95 wait].freeze
        UNITS = 1500

        # @param before [Recommendation] from the recording that led to the advice
        # @param since [Recording] of the changed setting
        def initialize(before, since, rounds: 20)
          @before = before
          @since = since
          @rounds = rounds
          @pair = RecordingPair.new(kind: since.kind, demand: before.recording.demand,
            growth_estimate: before.recording.growth_estimate, replayed: before.recording.unit_samples,
            units: since.units, unit_samples: since.unit_samples, held_per_cpu: since.held_per_cpu,
            measured: since.measured, resource_wait_ns: since.resource_wait_ns,
            machine_speed: before.recording.machine_speed + since.machine_speed)
        end

        # @return [VerificationResult] all of it; what follows computes parts of it on demand
        def call
          VerificationResult.new(candidate:, units:, lines:, causes: causes.as_value, sliced: sliced?,
            queued: queued?)
        end

        def candidate
          @candidate ||= Candidate.of(@since)
        end

        def sliced?
          candidate.time_slice_ns != @before.recording.time_slice_ns
        end

        # Whether the waits for a thread are known; else waits are stall alone.
        def queued? = !@since.measured.queued_ns.nil?

        def kept? = lines.all?(&:kept?)

        def lines
          @lines ||= NAMES.map { |name| line(name) }
        end

        def causes = whole.causes

        def units = @since.units

        # The outcome comes from uncorrected replays: corrected ones would hide their error.
        # @param span [Hash{Symbol => Integer}] `from_s` and `to_s` of the recording before, `at_s` the end of
        #   the measurement since
        # @return [PredictionOutcome, nil] nil for the recorded setting, which shows nothing about others
        def outcome(**span)
          return if candidate == @before.now
          recording = @before.recording
          PredictionOutcome.new(**PredictionBias.whose(recording), **span,
            setting: recording.setting.fingerprint,
            **candidate.to_h.slice(:processes, :threads, :time_slice_ns),
            units:, figures: lines.to_h { |line| [line.name, quantity(line)] })
        end

        private

        def quantity(line)
          replayed_ns = figure(@before.self_test.predicted, line.name)
          PredictionOutcome::Quantity.new(recorded_ns: line.before.round, replayed_ns: replayed_ns.round,
            predicted_ns: line.predicted.round, measured_ns: line.measured.round, **expected(line))
        end

        # The error's interval, as times: the measurement is inside where chance explains the error.
        def expected(line)
          low, high = line.interval.minmax.map do |error|
            [line.measured + error * whole_ns(line.measured, line.name), 0].max
          end
          {lowest_ns: low.floor, highest_ns: high.ceil}
        end

        def line(name)
          predicted, measured = [whole.predicted, whole.measured].map { |figures| figure(figures, name) }
          VerifiedFigure.new(name:, before: figure(@before.recording.measured, name), predicted:, measured:,
            error: error(predicted, measured, name), interval: interval(name))
        end

        def error(predicted, measured, name)
          (predicted - measured) / whole_ns(measured, name).to_f
        end

        # What an error is a share of.
        def whole_ns(measured, name)
          (name == :wait) ? whole.measured.response_ns : measured
        end

        def figure(figures, name)
          case name
          when :response then figures.response_ns
          when :p95 then figures.p95_ns
          else figures.queued_ns.to_i + figures.stalled_ns
          end
        end

        # The assignment of arriving units that fits.
        def assigned
          @assigned ||= begin
            assignments = Forecast::ASSIGNMENTS.fetch(@since.kind)
            results = assignments.to_h { |each| [each, test(@before.traffic, 1, each, 8 * UNITS)] }
            results.min_by { |_, result| result.errors.values.map(&:abs).max }
          end
        end

        def whole = assigned.last

        def test(part, seed, assignment, units)
          fitted = @before.self_test
          SelfTest.new(@pair.with(replayed: part.unit_samples), traffic: loaded(part), current: candidate,
            vcpus: fitted.vcpus..fitted.vcpus, assignments: [assignment], units:, load: @since.closed_load,
            handoff_ns: fitted.handoff_ns, seed:).call
        end

        # Units from before at the load since.
        def loaded(part)
          rates = traffic.blocks.flat_map(&:rates)
          concurrent_rates = traffic.blocks.flat_map(&:concurrent_rates)
          seconds = traffic.blocks.flat_map(&:seconds)
          block = Traffic::TrafficBlock.new(start_s: 0, rates:, seconds:, unit_samples: part.unit_samples,
            concurrent_rates:, host_minutes: traffic.blocks.flat_map(&:host_minutes))
          concurrent_units = part.concurrent_units if traffic.concurrent_units
          Traffic.new([block], block_s: traffic.block_s, pools: @since.pools, concurrent_units:,
            together: @since.arrival_times.together)
        end

        def traffic
          @traffic ||= Traffic.of(@since.unit_samples, @since.arrivals, covered: @since.covered,
            hosts: @since.hosts_by_minute, times: @since.arrival_times,
            concurrent_units: @since.concurrent_units)
        end

        # Both sides might have been other minutes, and other boots.
        def interval(name)
          @trials ||= Array.new(@rounds) { |round| trial(round + 1) }
          Sufficiency::RecordingBootstrap.middle(@trials.map { |trial| trial.fetch(name) })
        end

        def trial(seed)
          random = Random.new(seed)
          old, new = [@before.traffic, traffic].map { |all| all.resampled(random) }
          result = test(booted(old, random), seed, assigned.first, UNITS)
          NAMES.to_h { |name|
            [name,
              error(figure(result.predicted, name), figure(whole.measured, name) * swing(new, name), name)]
          }
        end

        # @return [Traffic] as it would take in processes that another boot made. What is only assumed makes
        #   no prediction right.
        def booted(part, random)
          return part if spread.assumed?
          processes = [@before.recording, @since].map { |recording| recording.processes * recording.hosts }
          factor = spread.factor(random, *processes)
          part.map { |unit| unit.with(running_ns: (unit.running_ns * factor).round) }
        end

        # @return [Analysis::BootSpread::SpreadEstimate] of the processes of both sides
        def spread
          @spread ||= begin
            unit_samples = [@before.recording, @since].flat_map(&:unit_samples)
            Analysis::BootSpread.new(unit_samples, :running).call
          end
        end

        def swing(part, name)
          all = single(traffic, name)
          all.zero? ? 1.0 : single(part, name) / all
        end

        # The figure comes from single units, as far as they are recorded.
        def single(part, name)
          values = part.unit_samples.map { |unit_sample| [value(unit_sample, name), unit_sample.weight] }
          (name == :p95) ? WeightedSample.quantile(values, 0.95).to_f : WeightedSample.mean(values)
        end

        def value(unit_sample, name)
          queued_ns = @pair.measured.queued_ns ? unit_sample.queued_ns.to_i : 0
          (name == :wait) ? queued_ns + unit_sample.stalled_ns : queued_ns + unit_sample.wall_ns
        end
      end
    end
  end
end
