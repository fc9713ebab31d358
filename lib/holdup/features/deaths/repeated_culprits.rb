# frozen_string_literal: true

module Holdup
  module Deaths
    # Names that were in flight when processes died, more often than their share of the time explains.
    #
    # By chance, a name is in flight in a death with the probability that it is in flight at any moment, which
    # is at most how many of it run on average. A process that is about to die may be slow, so that more than
    # usual are in flight: by how many times, the other names say (pile_up). So the number of deaths with it
    # has a Poisson-binomial distribution (Wang 1993, Statistica Sinica 3), whose upper tail is added up
    # exactly. Many names are asked about at once: Holm (1979, Scandinavian Journal of Statistics 6) corrects
    # for that.
    #
    # Processes of one host that die at nearly the same moment, as with their container, are one death.
    class RepeatedCulprits
      # Names are called culprits below it.
      SURE = 0.01
      # One death more says little, whatever its probability.
      FEWEST = 3
      TOGETHER_NS = 10 * NS
      # The latest ones are enough, and the distribution of more takes long.
      MOST_DEATHS = 500

      # - `deaths`: in how many of them it was in flight; `of`: how many are known
      # - `expected`: in how many by chance; `probability`: of so many or more by chance, corrected
      Culprit = Data.define(:name, :deaths, :of, :expected, :probability)

      # A death, or several at once. `running`: {name => how many were in flight}; `shares`: {name => how many
      # are on average}
      Death = Data.define(:running, :shares)
      private_constant :Death

      # @param autopsies [Array<Autopsy>] by time
      def initialize(autopsies)
        known = autopsies.reject { |autopsy| autopsy.shares.empty? || finished?(autopsy) }
        @deaths = together(known).last(MOST_DEATHS).map { |group| death(group) }
      end

      # @return [Array<Culprit>] the least probable first
      def to_a
        counted = names.map { |name| culprit(name) }.sort_by { |found| [found.probability, found.name] }
        worst = 0.0
        corrected = counted.each_with_index.map do |found, index|
          worst = [worst, found.probability * (counted.size - index)].max
          found.with(probability: [worst, 1.0].min)
        end
        corrected.select { |found| found.probability < SURE && found.deaths >= FEWEST }
      end

      # @param chances [Array<Float>] of independent events
      # @return [Float] probability of at least `least` of them
      def self.at_least(least, chances)
        below = Array.new(least, 0.0) # of exactly so many
        below[0] = 1.0 if least.positive?
        chances.each do |chance|
          (least - 1).downto(0) do |count|
            before = count.zero? ? 0.0 : below[count - 1]
            below[count] = below[count] * (1 - chance) + before * chance
          end
        end
        [1 - below.sum, 0.0].max
      end

      private

      # What a worker killer ends finishes its requests before.
      def finished?(autopsy) = autopsy.reason == :killer && autopsy.units.empty?

      def names = @deaths.flat_map { |death| death.running.keys }.uniq

      def culprit(name)
        more = pile_up(name)
        chances = @deaths.map { |death| [death.shares.fetch(name, 0.0) * more, 1.0].min }
        deaths = @deaths.count { |death| death.running.include?(name) }
        Culprit.new(name:, deaths:, of: @deaths.size, expected: chances.sum,
          probability: self.class.at_least(deaths, chances))
      end

      # @return [Float] how many times as many of all other names were in flight as usual, at least 1
      def pile_up(name)
        found, usual = %i[running shares].map do |part|
          @deaths.sum { |death| death.public_send(part).except(name).values.sum }
        end
        usual.positive? ? [found / usual, 1.0].max : 1.0
      end

      def together(autopsies)
        groups = autopsies.group_by(&:host).values.flat_map do |same|
          same.sort_by(&:died_ns).slice_when { |one, other| other.died_ns - one.died_ns > TOGETHER_NS }.to_a
        end
        groups.sort_by { |group| group.first.died_ns }
      end

      def death(group)
        shares = Hash.new(0.0)
        group.each do |autopsy|
          autopsy.shares.each { |name, share| shares[name] += share }
          own_shares(autopsy).each { |name, share| shares[name] += share }
        end
        running = group.flat_map { |autopsy| autopsy.units.filter_map { |unit| unit[:name] } }.tally
        Death.new(running:, shares:)
      end

      # What was in flight has not ended, so the hour before knows nothing of it. A name that never ends would
      # be there without a chance to be.
      def own_shares(autopsy)
        lived_ns = (autopsy.died_ns - autopsy.since_ns).clamp(1, HOUR_S * NS)
        named = autopsy.units.select { |unit| unit[:name] }
        named.group_by { |unit| unit[:name] }.transform_values do |units|
          units.sum { |unit| (autopsy.died_ns - unit[:started_ns]).clamp(0, lived_ns) }.fdiv(lived_ns)
        end
      end
    end
  end
end
