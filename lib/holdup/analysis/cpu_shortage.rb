# frozen_string_literal: true

module Holdup
  module Analysis
    # A machine without free CPUs: threads that hold the GVL wait for one, so every time that was measured on
    # it is longer than the application's own, and says little about the application.
    #
    # - `machine`: the one with the greatest need; nil when the system does not say how long threads wait for
    #   a CPU: then nothing tells a missing CPU from C code that blocks while it holds the GVL
    # - `waiting_share`: of the time that its threads wanted a CPU, the part without one; nil: unknown
    # - `held_share`: of the time that requests and jobs held the GVL, the part without a CPU; nil: none did
    class CpuShortage
      # Two of five seconds without a CPU: work takes 1.7 times as long.
      SHARE = 0.4
      # Share of the elapsed time: a shorter starvation does not change how long requests take.
      FELT = 0.05
      # Share of the time that threads wanted a CPU: below it, other work did not take it.
      QUEUED = 0.1
      # CPUs: threads of a process that hardly runs may wait long for one, and nobody notices.
      LEAST_CPUS = 0.05
      # Share of a quota's periods.
      THROTTLED = 0.2

      # What people read. `culprit`, `share`, `taken`, `vcpus`: see CpuShortage
      ShortageFigures = Data.define(:culprit, :share, :taken, :vcpus)

      attr_reader :machine, :held_share

      # @return [CpuShortage, nil] nil: there is none
      def self.of(summary)
        found = new(summary.processes.machines, split: (summary.total.split unless summary.empty?))
        found if found.notable?
      end

      # @return [CpuShortage, nil] nil: there is none
      def self.of_machine(machine)
        found = new([machine], split: nil)
        found if found.notable?
      end

      # @param machines [Array<Machine>]
      # @param split [Object, nil] the states of all requests and jobs
      def initialize(machines, split:)
        @machine = machines.select { |one| waiting(one) }.max_by { |one| waiting(one) }
        @split = split
        held = split && split.starved + split.cpu
        @held_share = split.starved.fdiv(held) if held&.positive?
      end

      def waiting_share = @machine && waiting(@machine)

      def notable?
        return false unless waiting_share
        return waiting_share >= SHARE unless @split
        felt? && held_share >= SHARE && waiting_share >= QUEUED
      end

      # What people read: the part of the time in which a thread that needed a CPU had none.
      def share = @held_share || waiting_share

      # What has the CPUs.
      # @return [Symbol] :quota, those of Machine::CpuStarvation#culprit, or :unknown
      def culprit
        return :quota if @machine.throttled_share.to_f >= THROTTLED
        starvation.culprit || :unknown
      end

      # @return [Float, nil] CPUs that the culprit uses
      def taken = (starvation.taken if others?)

      # @return [Numeric, nil]
      def vcpus = @machine&.vcpus

      # @return [ShortageFigures]
      def figures = ShortageFigures.new(culprit:, share:, taken:, vcpus:)

      private

      def felt? = !@held_share.nil? && @split.share(:starved) >= FELT

      def others? = %i[other_processes host steal].include?(culprit)

      def starvation = @starvation ||= Machine::CpuStarvation.new(@machine)

      # The share of all its processes together: one that wants no CPU counts for nothing.
      def waiting(machine)
        known = machine.members.select { |member| member.cpu_share && member.waiting_share }
        had = known.sum(&:cpu_share)
        return if had < LEAST_CPUS
        wanted = known.sum { |member| member.cpu_share / [1 - member.waiting_share, 0.01].max }
        1 - had / wanted
      end
    end
  end
end
