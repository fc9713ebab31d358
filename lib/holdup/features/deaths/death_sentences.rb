# frozen_string_literal: true

module Holdup
  module Deaths
    # What is known of one death, in words. Names and places are untrusted.
    class DeathSentences
      # @param autopsy [Autopsy]
      def initialize(autopsy, words:)
        @autopsy = autopsy
        @words = words
        @work = Ps::WorkSentences.new(words:)
      end

      # @return [String] "puma 4711"
      def process = View::Width.clean("#{@autopsy.server || "pid"} #{@autopsy.pid}")

      # @return [String] how it died
      def reason
        facts = {}
        facts = {signal: signal} if @autopsy.reason == :signal
        facts = {status: @autopsy.status.to_s} if @autopsy.reason == :exit
        word(:"reason_#{@autopsy.reason}", **facts)
      end

      # @return [String] that it died, and how
      def died = word(:died, process:, reason:)

      # @return [String, nil] who held the GVL; nil: none is known
      def holder
        hold = Ps::GvlHold.of(ran, @autopsy.died_ns)
        hold && @work.hold(hold)
      end

      # @return [String] how long before it was missed its collector's last round was
      def last_round = View::Figures.duration(@autopsy.gone_ns - @autopsy.last_round_ns)

      # @return [Array<Ps::RunningRow>] requests and jobs in flight, the longest first
      def rows = @rows ||= Ps::OpenWork.new([ran], @autopsy.died_ns).rows

      # @param row [Ps::RunningRow]
      def name(row) = Ps::WorkSentences.name(row.unit)

      # @param row [Ps::RunningRow]
      def state(row) = @work.state(row)

      # @return [String] the one that held the GVL, or ran for longest: "ReportsController#sales (42.0 s)"
      def suspect
        row = rows.find { |one| one.state == :holding } || rows.first
        return View::Figures::NONE unless row
        word(:for_time, name: name(row), time: View::Figures.duration(row.elapsed_ns))
      end

      private

      def word(key, **facts) = @words.call(:"deaths_#{key}", **facts)

      # @return [String] "SIGKILL", or its number
      def signal
        name = @autopsy.status && Signal.signame(@autopsy.status)
        name ? "SIG#{name}" : @autopsy.status.to_s
      end

      # The process as it was when it was seen last.
      def ran
        @ran ||= Ps::OpenProcess.new(pid: @autopsy.pid, name: @autopsy.name, server: @autopsy.server,
          units: @autopsy.units.map { |facts| open_unit(facts) }, gvl:, objects: @autopsy.objects)
      end

      def gvl = @autopsy.gvl && Segment::OpenState.new(**NO_HOLDER, **@autopsy.gvl)

      def open_unit(facts) = Segment::OpenUnit.new(**UNKNOWN, **facts)

      UNKNOWN = Segment::OpenUnit.members.to_h { |member| [member, nil] }.merge(holder: false).freeze
      NO_HOLDER = Segment::OpenState.members.to_h { |member| [member, nil] }.freeze
      private_constant :UNKNOWN, :NO_HOLDER
    end
  end
end
