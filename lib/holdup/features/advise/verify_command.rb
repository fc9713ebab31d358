# frozen_string_literal: true

require "json"

module Holdup
  module Advise
    # `holdup advise --verify FILE`: whether the prediction came true after the advice was followed. FILE
    # comes from `holdup advise --save` (or `--json`); the store must still have the advice's recording.
    class VerifyCommand
      VERSION = 1
      LARGEST = 10_000_000
      # Its span is that of the measurements after the advice, and it is always shown in full.
      OPTIONS = CLI::Options.new("holdup advise --verify FILE [options]", [
        *Command::OPTIONS.only("verify", "warm-up", "full", "wide", "fresh"),
        *Queries::SelectionOptions.span(SizingOptions::SINCE).map { |option|
          option.with(purpose: :output)
        },
        *CLI::Formats.options(%i[text json markdown]),
        CLI::Options::STORE,
        CLI::Options::LANGUAGE
      ])

      # @param given [CLI::GivenOptions]
      # @return [Hash{Symbol => Object}] of `new`
      # @raise [UsageError] it takes no other options
      def self.keywords(given, _console)
        values = given.values
        others = given.unknown_to(OPTIONS)
        others = [*(others - %w[--html]), "--html"] if values[:format] == :html
        if others.any?
          raise UsageError.new("--verify can't be combined with #{others.join(", ")}",
            "leave them out: the saved advice has them")
        end
        to_s = values.fetch(:until, given.now_s)
        {file: values.fetch(:verify), from_s: values[:since], to_s:,
         **values.slice(:format, :store, :warm_up_s, :language)}
      end

      # @param from_s [Integer, nil] nil: since the advice
      # @param warm_up_s [Integer, nil] nil: as when advice was given
      def initialize(console:, file:, to_s:, from_s: nil, format: :text, warm_up_s: nil, store: nil,
        language: nil)
        @console = console
        @file = file
        @advice = read
        @span = {from_s: from_s || @advice.fetch(:to_s), to_s:}
        @format = format
        @warm_up_s = warm_up_s || @advice[:warm_up_s]
        @store = store
        @words = View::Words.new(language || CLI::Places.language(console.env))
      end

      # @return [Integer] exit status: 0 if the prediction came true, else 1
      # @raise [Error] there is nothing to compare
      def run
        found = verification
        span = SizingOptions.span_text(**@span)
        report = VerificationReport.new(found.call, stored: stored?(found), span:, words: @words)
        @console.show((@format == :json) ? report.json : rendered(report.page))
        found.kept? ? CLI::OK : CLI::FAILED
      end

      private

      def rendered(page)
        CLI::Formats.render(page, format: @format, console: @console, words: @words)
      end

      def read
        advice = JSON.parse(File.read(@file, LARGEST).to_s, symbolize_names: true)
        return advice if advice?(advice)
        raise UsageError.new("#{@file[0, 200].inspect} has no advice to verify",
          "it takes what `holdup advise --save FILE` kept when it said keep or change")
      rescue JSON::ParserError, SystemCallError => error
        reason = error.is_a?(JSON::ParserError) ? "it is not valid JSON" : error.message
        raise UsageError.new("--verify can't read #{@file[0, 200].inspect} (#{reason})",
          "it takes what `holdup advise --save FILE` kept")
      end

      def advice?(advice)
        return false unless advice.is_a?(Hash) && advice[:version] == VERSION
        %i[current from_s to_s].all? { |key| advice[key] }
      end

      def verification
        before = reading(origin) { |store| sized(store, @advice.slice(:from_s, :to_s, :setting)) }
        since = reading(origin.with(revision: nil)) { |store| sized(store, @span) }
        Sizing::Verification.new(recorded(before), changed(since))
      end

      # Of the advice. A deployment that follows it may be of another revision.
      def origin
        Queries::Origin.new(**@advice.slice(*Queries::Origin.members))
      end

      def reading(origin, &) = CLI::Places.reading(@console.env, @store, origin:, &)

      # Later advice learns from it. The answer is the same without write access to the store.
      def stored?(found)
        outcome = found.outcome(**@advice.slice(:from_s, :to_s), at_s: @span[:to_s])
        return false unless outcome
        CLI::Places.writing(@console.env, @store) { |store| store.keep(outcome) }
        true
      rescue StoreError => error
        @console.err.puts("holdup: #{@words.call(:verify_not_stored, reason: error.message)}")
        false
      end

      def sized(store, span)
        warm_up = {warm_up_s: @warm_up_s}.compact
        Reader.new(store, **span, kind:, objective: Sizing::Objective.new, **warm_up)
      end

      def kind
        (@advice[:kind] || :request).to_sym
      end

      def recorded(sized)
        recommendation = sized.recommendation
        raise lost_recording("it is gone") unless recommendation
        problems = recommendation.recording.problems
        return recommendation if problems.empty? && !recommendation.limits.vcpus.nil?
        raise lost_recording(problems.map { |problem| problem.to_s.tr("_", " ") }.join(", "))
      end

      def lost_recording(problems)
        Error.new("the recording that the advice was given for can't be replayed any more: #{problems}",
          "single requests and jobs are kept for 14 days")
      end

      # If the advice was to keep the setting, the latest other setting since then shows the effect of a
      # change.
      def changed(sized)
        measured = sized.recordings.select { |recording| recording.unit_samples.any? }
        same, others = measured.partition { |recording| advised == ran(recording) }
        latest = others.max_by { |other| other.unit_samples.first.start_ns } if @advice[:verdict] == "keep"
        latest || same.first || raise(not_followed(measured))
      end

      def not_followed(measured)
        settings = measured.map { |recording| written(ran(recording)) }.uniq
        settings = ["none"] if settings.empty?
        Error.new("no #{kind}s ran on the advised setting (#{written(advised)}) since, " \
          "only on: #{settings.join(", ")}",
          "restart with it and let the warm-up pass (#{@warm_up_s || 120} s)")
      end

      def advised
        setting = @advice[:best] || @advice[:current]
        Sizing::Candidate.new(**setting.slice(:processes, :threads, :time_slice_ns))
      end

      def ran(recording)
        Sizing::Candidate.new(processes: recording.processes, threads: recording.threads,
          time_slice_ns: recording.time_slice_ns)
      end

      def written(candidate)
        AdviceFigures.new(@words).setting(candidate, slice: true)
      end
    end
  end
end
