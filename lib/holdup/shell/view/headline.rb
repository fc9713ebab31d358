# frozen_string_literal: true

module Holdup
  module View
    # The part above the tables: the verdict in one sentence, the span, the main figures, and why a number may
    # mislead.
    class Headline
      # The high percentiles of fewer are single units.
      FEW = 200
      # The unmeasured part of a minute distorts the throughput of a shorter span.
      SHORT_S = 300
      # The stall per acquisition says little about units if they have fewer acquisitions.
      FEW_ACQUISITIONS = 0.1
      # Keeps the sentence readable with any name in it.
      NAME = 60

      # @param summary [Analysis::Summary] with what was read so far
      # @return [Array<Symbol>] parts of the summary that the verdict, the figures and the remarks need
      def self.parts(summary)
        return [] if summary.empty?
        locks = [:locks] if lock_wait_of(summary)
        [*Analysis::StallVerdict.parts(summary), :coverage, *locks, *summary.parts_of_machines]
      end

      # @return [Analysis::LockWaits::LockWaiter, nil] how long the one chosen name waits for locks
      def self.lock_wait_of(summary)
        names = summary.rows.map(&:name).uniq
        LockWait.of(summary, names.first) if summary.filter.name && names.one?
      end

      # @param general_remarks [Array<String>] remarks that hold even without any figures
      # @param zone [String, nil] UTC offset ("+09:00", "UTC"); nil: the system's own
      def initialize(summary, words:, general_remarks: [], zone: nil)
        @summary = summary
        @words = words
        @general_remarks = general_remarks
        @zone = zone
      end

      # @return [String] the one sentence
      def verdict
        shortage = finding.facts[:shortage]
        return Remarks::OutOfCpu.sentence(shortage, words: @words) if shortage
        sentence(finding)
      end

      # @return [String] "2026-11-21 12:00:00 to 13:00:00 +00:00"
      def span
        from = time(@summary.from_s)
        to = time(@summary.to_s)
        same_day = from.to_date_s == to.to_date_s
        @words.call(:span, from: from.text, to: same_day ? to.clock : to.text, zone: to.zone)
      end

      # @return [Array<String>] units and throughput, stall and GC per unit
      def figures = [volume, costs]

      # @return [Array<String>] those that change how the figures are read come first
      def remarks
        own = [applications, connections, mixed_settings, starved, cpu_unknown, overflow, ceiling]
        [*own, *@general_remarks, few, short].compact
      end

      # @return [Array<String>] those without what is a finding, too
      def caveats = remarks - [connections]

      # Whom the requests or jobs of one name waited for, where the verdict is another.
      # @return [String, nil]
      def main_wait
        names = @summary.rows.map(&:name).uniq
        return if @summary.filter.name.nil? || names.size != 1
        return if %i[waits_for waits_for_own].include?(finding.key)
        MainWait.new(@summary, words: @words).sentence(@summary.total.with(name: names.first))
      end

      # How long the requests or jobs of one name wait for locks, where, and who ends that.
      # @return [String, nil]
      def lock_wait
        line = self.class.lock_wait_of(@summary)
        LockWait.new(@summary, line, words: @words).sentence if line
      end

      attr_reader :general_remarks

      # @return [String] "requests", "jobs" or "units"
      def units = @words.units(@summary.unit_kind)

      private

      def finding = @finding ||= stall_verdict.call

      def stall_verdict = @stall_verdict ||= Analysis::StallVerdict.new(@summary)

      def sentence(answer)
        @words.call(:"verdict_#{answer.key}", units:, **connection(answer), **spoken(answer.facts))
      end

      Moment = Data.define(:time) do
        def to_date_s = time.strftime("%F")

        def text = time.strftime("%F %T")

        def clock = time.strftime("%T")

        def zone = time.strftime("%:z")
      end
      private_constant :Moment

      def time(seconds)
        Moment.new(time: @zone ? Time.at(seconds, in: @zone) : Time.at(seconds))
      end

      # What a verdict about waits for connections calls them.
      def connection(answer)
        answer.key.start_with?("connections") ? {connection: awaited_connection} : {}
      end

      def awaited_connection = AwaitedConnection.new(@summary, words: @words).one

      # Formats the verdict's facts; a cause becomes its name.
      def spoken(facts)
        facts.except(:kind).to_h { |key, fact| [key, say(fact)] }
      end

      def say(fact)
        case fact
        when Float then Figures.share(fact)
        when String, nil then fact
        when Analysis::HolderPlace then MainWait.place(fact, @words)
        else cause_name(fact)
        end
      end

      def cause_name(line)
        name = Width.clean(line.name.delete_prefix("thread:"))
        Width.truncate(line.queue ? "#{name} [#{Width.clean(line.queue)}]" : name, NAME)
      end

      def total = @summary.total

      def volume
        @words.call(:volume, count: Figures.count(total.count), rate: Figures.rate(@summary.throughput),
          units: @words.units(@summary.unit_kind, total.count),
          errors: Figures.count(total.errors), error_share: Figures.share(total.error_share || 0.0),
          measured: Figures.duration(@summary.measured_s * NS))
      end

      # A short request that does not wait keeps the GVL that its thread already has.
      def costs
        acquisitions = total.per_unit(total.sum(:acquisitions))
        @words.call((acquisitions.to_f < FEW_ACQUISITIONS) ? :costs_in_one_hold : :costs,
          stall: each_unit(total.stalled_ns),
          acquisition: Figures.duration(total.stall_per_acquisition),
          acquisitions: Figures.rate(acquisitions),
          gc: each_unit(total.sum(:gc_ns)), hold: Figures.duration(total.histogram(:longest_hold).max))
      end

      def each_unit(value)
        Figures.duration(total.per_unit(value))
      end

      # Reports waits for connections even if the verdict is about stall.
      def connections
        return if finding.key.start_with?("connections")
        wait = stall_verdict.connection_wait
        return sentence(wait) if wait
        return unless @summary.connections.notable?
        share = Figures.share(@summary.connections.wait_share)
        @words.call(:remark_connections, share:, connection: awaited_connection)
      end

      # The cause of a verdict of stall may hold the GVL for so long only because it lacks a CPU: then units
      # starve for longer than they are on a CPU.
      def starved
        split = total.split
        return if %i[starved no_cpu].include?(finding.key)
        return if split.share(:starved) < Analysis::Thresholds::STARVED || split.starved < split.cpu
        @words.call(:remark_starved, share: Figures.share(split.starved.fdiv(split.starved + split.cpu)))
      end

      def cpu_unknown
        @words.call(:remark_cpu_unknown) if @summary.cpu_unknown?
      end

      def few
        (total.count < FEW) ? @words.call(:remark_few, count: Figures.count(total.count), units:) : nil
      end

      # The throughput is exact if single units show when the first began and the last ended.
      def short
        @words.call(:remark_short) if @summary.measured_s < SHORT_S && !@summary.coverage.exact
      end

      def ceiling
        Remarks::Ceiling.remark(@summary.machines, words: @words)
      end

      def applications
        Remarks::Applications.remark(@summary.applications, words: @words)
      end

      def mixed_settings
        most = @summary.setting_names.most_of_a_role
        return if most < 2 || @summary.by == :setting
        @words.call(:remark_settings, count: Figures.count(most))
      end

      def overflow
        @summary.overflowed.zero? ? nil : @words.call(:remark_overflow,
          count: Figures.count(@summary.overflowed))
      end
    end
  end
end
