# frozen_string_literal: true

module Holdup
  module Analysis
    # Who stalled whom. The probe keeps exactly what each series caused and what each suffered, but not for
    # each pair; so a pair is an estimate between certain bounds.
    # Within one cell (a minute of one setting and host, or as many as it takes for stall and causes to
    # balance), the victim's stall is split over all that caused stall there, in proportion to how much each
    # caused, the hand-off included. That is right when units meet at random, and it keeps both totals: what a
    # series suffered, and what it caused. A pair can't be more than the smaller of what one caused and the
    # other suffered. It can't be less than what fits neither in the victim's other causes nor in the causer's
    # other victims.
    class StallPairs
      # Victims and causes that are looked at: the pairs of a hundred series would be ten thousand.
      MOST = 8

      StallPart = Struct.new(:series, :suffered, :caused)

      # `about_ns`, `least_ns`, `most_ns`: of the victim's stall; `suffered_ns`: all of it
      class StallPair < Data.define(:causer, :victim, :about_ns, :least_ns, :most_ns, :suffered_ns)
        # Of the victim's stall, the part that must be certain, and the most that may be possible.
        CERTAIN = 0.1
        POSSIBLE = 0.9
        TIMES = 3

        def share = about_ns.fdiv(suffered_ns)

        def least_share = least_ns.fdiv(suffered_ns)

        def most_share = most_ns.fdiv(suffered_ns)

        # An estimate between wide bounds only repeats what one caused of all stall. It says more where a part
        # of the victim's stall is certain, or where not much more than the estimate is possible.
        def informative?
          return true if least_share >= CERTAIN
          most_share <= POSSIBLE && most_ns <= TIMES * about_ns
        end
      end

      ANY = ->(_series) { true }
      private_constant :ANY

      # @param series [Array<Array<Array<StallPart>>>] of each setting and host its windows in order of time,
      #   with all kinds of series
      def initialize(series)
        @cells = series.flat_map { |windows| StallCell.of(windows) }
      end

      # Pairs of units and of threads outside of units. Of the victims those that suffered most among the
      # wanted; of the causers the wanted among those that caused most.
      # @param victims [#call] series => whether its pairs are wanted
      # @param causers [#call] likewise
      # @return [Array<StallPair>] most stall first
      def to_a(victims: ANY, causers: ANY)
        causers = self.causers.select { |series| causers.call(series) }
        pairs = victims(victims).flat_map { |victim, suffered| pairs(victim, suffered, causers) }
        pairs.select! { |pair| pair.about_ns.positive? }
        pairs.sort_by { |pair| [-pair.about_ns, pair.victim.name, pair.causer.name] }
      end

      private

      def pairs(victim, suffered_ns, causers)
        causers.map do |causer|
          about_ns, least_ns, most_ns = bounds(victim, causer)
          StallPair.new(causer:, victim:, about_ns:, least_ns:, most_ns:, suffered_ns:)
        end
      end

      def bounds(victim, causer)
        bounds = @cells.filter_map do |cell|
          suffered = cell.suffered[victim]
          caused = cell.caused[causer]
          split(suffered, caused, cell.total) if suffered.positive? && caused.positive?
        end
        bounds.empty? ? [0, 0, 0] : bounds.transpose.map(&:sum)
      end

      # Estimate, least, most. One series can have more than the total where units ran inside others.
      def split(suffered, caused, total)
        most = [suffered, caused].min
        least = (suffered + caused - total).clamp(0, most)
        about = total.positive? ? suffered * caused / total : 0
        [about.clamp(least, most), least, most]
      end

      def victims(wanted)
        @suffered ||= largest(:suffered).select { |series, _| series.unit? }
        @suffered.select { |series, _| wanted.call(series) }.first(MOST)
      end

      def causers
        @causers ||= begin
          series = largest(:caused).map(&:first)
          series.select { |causer| causer.unit? || thread?(causer) }.first(MOST)
        end
      end

      def thread?(series)
        series.kind == :account && series != Series::HANDOFF
      end

      # Over all cells, the largest first.
      def largest(figure)
        sums = Hash.new(0)
        @cells.each { |cell| cell.public_send(figure).each { |series, ns| sums[series] += ns } }
        sums.select { |_, ns| ns.positive? }.sort_by { |series, ns| [-ns, series.name] }
      end

      # An interval in which stall and its causes balance, so that who caused and who suffered met in it. A
      # unit's stall, and what it caused, are recorded when it ends. So a minute in which a long job held the
      # others up has their stall, and the minute in which it ends has the cause: such minutes are one cell.
      class StallCell
        # Difference of stall and causes, as a share of the larger.
        BALANCE = 0.02

        # @param windows [Array<Array<StallPart>>] of one setting and host, in order of time
        def self.of(windows)
          windows.each_with_object([new]) do |parts, cells|
            cells << new if cells.last.balanced?
            parts.each { |part| cells.last.add(part) }
          end
        end

        attr_reader :suffered, :caused

        def initialize
          @suffered = Hash.new(0)
          @caused = Hash.new(0)
          @all_suffered = @all_caused = 0
        end

        # Units that ran inside others are counted twice: the nested series subtracts them once.
        def add(part)
          sign = (part.series.kind == :nested) ? -1 : 1
          @all_suffered += sign * part.suffered
          @all_caused += sign * part.caused
          return if sign.negative?
          @suffered[part.series] += part.suffered
          @caused[part.series] += part.caused
        end

        # Stall, or what was caused where that is more.
        def total = [@all_suffered, @all_caused].max

        def balanced?
          total.positive? && (@all_suffered - @all_caused).abs <= BALANCE * total
        end
      end
    end
  end
end
