# frozen_string_literal: true

require "holdup/loader"
require_relative "spread"

module Bench
  # What the self-test of `holdup advise` says of the recordings that a row's predictions come from, one of
  # each round: whether the advice doubts them before anything else is measured, and why.
  class RecordingGrades
    NONE = "none"

    # All units of a run without its warm-up; a store would keep some of them.
    # @param windows [Array<Holdup::Window>]
    # @param samples [Array<Hash{Symbol => Object}>] of the processes
    # @param unit_samples [Array<Holdup::UnitSample>]
    # @return [Holdup::Advise::Sizing::Recommendation, nil] nil if it is too short for a self-test
    def self.advice(windows, samples, unit_samples, kind: :job)
      from_s, to_s = windows.flat_map { |window| [window.start_s, window.start_s + window.seconds] }.minmax
      members = Holdup::Analysis::ProcessReport.new(samples, from_s:, to_s:).members
      recording = Holdup::Advise::Sizing::Recording.of(windows:, unit_samples:, samples:, kind:, warm_up_s: 0,
        members:)
      limits = Holdup::Advise::Sizing::ResourceLimits.new(vcpus: recording.vcpus)
      found = Holdup::Advise::Sizing::Recommendation.new(recording, limits:,
        objective: Holdup::Advise::Sizing::Objective.new(name: :throughput))
      found unless found.traffic.empty?
    end

    # @param recommendations [Array<#self_test, nil>] nil: see advice
    def initialize(recommendations)
      @tests = recommendations.map { |one| one&.self_test }
    end

    # @return [String] "A", or with its reasons "B: constant_load"; of unlike rounds "3 A, 4 B: growth"
    def to_s
      grades = @tests.map { |test| test ? test.grade.to_s.upcase : NONE }.tally.sort
      return label(grades.first.first) if grades.size == 1
      label(grades.map { |grade, count| "#{count} #{grade}" }.join(", "))
    end

    # @param missed [Array<Symbol>] figures whose errors are too large
    # @return [String] "caught: ...": the advice doubted most of the recordings
    def verdict(missed)
      return "ok" if missed.empty?
      "#{caught? ? "caught" : "missed"}: #{missed.join(", ")}"
    end

    # @param error [Float] of the throughput, %
    # @param limit [Float] likewise
    # @return [String] see verdict
    def verdict_of_throughput(error, limit)
      verdict((error.abs > limit) ? [:throughput] : [])
    end

    # @return [String] the errors of the self-tests, as medians of the rounds
    def errors
      by_name = @tests.compact.flat_map { |test| test.errors.to_a }.group_by(&:first)
      by_name.map do |name, found|
        format("%s %+.1f %%", name, Spread.of(found.map(&:last)).median * 100)
      end.join(", ")
    end

    private

    def caught?
      @tests.count { |test| test && test.grade != :a } * 2 > @tests.size
    end

    def label(grades)
      reasons.empty? ? grades : "#{grades}: #{reasons.join(", ")}"
    end

    # Most frequent first.
    def reasons
      counts = @tests.compact.flat_map(&:reasons).tally
      counts.sort_by { |_, count| -count }.map(&:first)
    end
  end
end
