# frozen_string_literal: true

module Holdup
  module Compare
    # The meaning of a comparison in sentences: the verdict, its possible cause, and why a figure may
    # mislead.
    class Sentences
      # A machine's speed differs by less from one minute to the next.
      MACHINE = 0.03
      SHORT_BLOCK_S = 600
      # Sentences about methods that make others wait, and columns of a name in them.
      METHODS = 3
      # Likewise about those for whom requests and jobs wait.
      PAIRS = 3
      NAME = 40
      # Metrics outside the verdict that are reported if they moved.
      OUTSIDE_VERDICT = %i[wall_p99 wait_p95 pss gc_unit errors].freeze

      # @param metrics [Array<Symbol>] of the verdict
      def initialize(comparison, words:, metrics: Comparison::ComparisonVerdict::METRICS)
        @comparison = comparison
        @words = words
        @cells = Report::Cells.new(words)
        @verdict = comparison.verdict(metrics)
      end

      attr_reader :verdict

      # @return [String] the verdict in one sentence
      def lead
        case verdict.key
        when :unknown then word(:unknown, before: sizes.first, after: sizes.last, block: block,
          needed: BlockBootstrap::FEWEST)
        when :none then none(verdict.unmoved)
        else word(verdict.key, moved: verdict.moved.map { |estimate| moved(estimate) }.join(word(:also)))
        end
      end

      def cause
        return word(:cause_mixed) if change.mixed?
        return word(:cause_same) if change.none?
        subjects = @words.list(change.differences.map { |one| View::Width.clean(one.subject) })
        return word(:cause_many, count: change.differences.size, subjects:) unless change.single?
        word(@comparison.paired? ? :cause_one_together : :cause_one, subject: subjects)
      end

      # @return [Array<String>] what the verdict does not cover
      def remarks
        [unmoved, outside_verdict(:worse), outside_verdict(:better), *holders].compact
      end

      # @return [Array<String>] for whom requests and jobs wait otherwise than before, and what holds them up
      def holders = [*pairs, *methods]

      # @return [Array<String>] why a figure may mislead
      def limits
        [boots_decide, applications, holders_unrecorded, mix, machine, left_out, *warm_up, boots,
          blocks].compact
      end

      private

      def word(key, **facts)
        @words.call(:"compare_#{key}", **facts)
      end

      def change = @comparison.change

      def sizes = @comparison.sizes

      def sides = [@comparison.before, @comparison.after]

      def block = @cells.seconds(@comparison.block_s)

      def moved(estimate)
        interval = @cells.interval(estimate, verdict.level)
        change = estimate.relative? ? @cells.change(estimate.relative) : @cells.signed(estimate.metric,
          estimate.difference)
        word(:moved, figure: @cells.name(estimate.metric), change:, interval:)
      end

      def none(unmoved)
        differ = unmoved.reject(&:same?)
        small = unmoved.select { |estimate| estimate.irrelevant?(verdict.level) }
        if small.any?
          return word(:none_relevant, small: small.map { |estimate| moved(estimate) }.join(word(:also)))
        end
        return none_of(differ) if differ.any?
        word(:same, figures: figures(unmoved))
      end

      # A row of the table may be better or worse without being part of the verdict.
      def none_of(estimates)
        visible = visible(estimates)
        return word(:none, visible:) if others.none? { |one| %i[better worse].include?(one.verdict) }
        word(:none_of_these, figures: figures(estimates), visible:)
      end

      def figures(estimates)
        estimates.map { |estimate| @cells.name(estimate.metric) }.join(word(:also))
      end

      def others = @comparison.estimates.values - verdict.moved - verdict.unmoved

      def visible(estimates)
        known = estimates.filter_map { |estimate|
          (share = estimate.visible(verdict.level)) && [estimate, share]
        }
        known.map { |estimate, share|
          word(:visible, figure: @cells.name(estimate.metric),
            share: @cells.visible(share))
        }.join(word(:also))
      end

      def unmoved
        (verdict.moved.any? && verdict.unmoved.any?) ? word(:unmoved,
          visible: visible(verdict.unmoved)) : nil
      end

      # Metrics outside the verdict, at the same confidence level.
      def outside_verdict(found)
        estimates = others.select { |estimate|
          OUTSIDE_VERDICT.include?(estimate.metric.name) && estimate.verdict(verdict.level) == found
        }
        if estimates.any?
          word(:"also_#{found}", moved: estimates.map { |estimate| moved(estimate) }.join(word(:also)))
        end
      end

      def methods
        certain(@comparison.method_changes, METHODS) { |change, level| method_sentence(change, level) }
      end

      # Those whose stall certainly differs. Each of them is a chance to find something where nothing is.
      def certain(changes, most)
        level = 1 - (1 - Estimate::LEVEL) / [changes.size, 1].max
        found = changes.select { |change| %i[better worse].include?(change.estimate.verdict(level)) }
        found.first(most).map { |change| yield change, level }
      end

      def pairs
        certain(@comparison.pair_changes, PAIRS) { |change, level| pair_sentence(change, level) }
      end

      def pair_sentence(change, level)
        estimate = change.estimate
        before, after = [estimate.before, estimate.after].map { |ns| View::Figures.duration(ns) }
        holder = (change.holder == change.victim) ? word(:holder_itself) : @cells.holder(change)
        word(:"holder_#{change.key}", before:, after:, interval: @cells.interval(estimate, level),
          victim: View::Width.truncate(View::Width.clean(change.victim), NAME),
          holder: View::Width.truncate(holder, NAME))
      end

      # Where only one side has pairs, the other one would look as if nobody had waited there.
      def holders_unrecorded
        known = sides.map(&:pairs_known?)
        return if known.first == known.last
        word(:holders_unrecorded, side: word(known.first ? :after : :before))
      end

      def method_sentence(change, level)
        line, estimate = change.line, change.estimate
        before, after = [estimate.before, estimate.after].map { |ns| View::Figures.duration(ns) }
        word(method_key(estimate), since:, method: View::Width.clean(line.label), before:, after:,
          location: line.location && View::Width.clean(line.location),
          times: estimate.relative? ? View::Figures.rate(estimate.relative + 1) : nil,
          name: View::Width.truncate(View::Width.clean(line.name), NAME), interval: @cells.interval(estimate,
            level))
      end

      def method_key(estimate)
        return :method_changed if estimate.relative?
        estimate.before.zero? ? :method_new : :method_gone
      end

      # Each side's only revision says it best.
      def since
        revisions = sides.map { |side| side.settings.map { |setting| setting["revision"] }.uniq }
        one = revisions.uniq.size == 2 && revisions.all? { |own| own.one? && own.first }
        one ? word(:since_revision, revision: View::Width.clean(revisions.last.first)) : word(:since_after)
      end

      # The sentence is only about a side that has several; if each side has its own, they are the subject of
      # the comparison.
      def applications
        found = sides.map do |side|
          Analysis::ApplicationShares.of(side.counts)
        end
        found.filter_map { |one| View::Remarks::Applications.remark(one, words: @words) }.first
      end

      def mix
        effect = @comparison.mix_effect
        word(:mix, change: @cells.change(effect)) if effect.abs >= Comparison::MIX
      end

      # Both sides had the same machine if they are of the same time.
      def machine
        slower = @comparison.machine_slower
        return if @comparison.paired? || slower.nil? || (slower - 1).abs < MACHINE
        word((slower > 1) ? :machine_slower : :machine_faster, change: @cells.change(slower - 1))
      end

      def left_out
        before, after = @comparison.left_out
        if [before, after].max >= Comparison::LEFT_OUT
          word(:left_out, before: View::Figures.share(before), after: View::Figures.share(after))
        end
      end

      def warm_up
        return [word(:boots_unknown)] unless sides.all?(&:boots_known?)
        cold = sides.reject(&:warmed?).map { |side| View::Width.clean(@words.setting_label(side.label)) }
        cold.map { |side| word(:all_cold, side:) }
      end

      # A boot is a draw: that may be all that a difference depends on.
      def boots_decide
        decided = verdict.unmoved.select { |estimate| estimate.boots_decide?(verdict.level) }
        return if decided.empty?
        moved = decided.map { |estimate| moved(estimate.without_boots) }.join(word(:also))
        word(:boots_decide, moved:, **processes)
      end

      # What the intervals assume where the processes do not show it.
      def boots
        draw = @comparison.boots
        return word(:processes_unknown) if draw.nil? && sides.any? { |side| side.processes.zero? }
        return unless draw
        spread = View::Figures.share(draw.spread.deviation)
        return word(:boots_assumed, spread:, **processes) if draw.spread.assumed?
        word(:boots_found, spread:, count: View::Figures.count(draw.spread.processes))
      end

      def processes = {before: @comparison.before.processes, after: @comparison.after.processes}

      def blocks
        return short_blocks if @comparison.block_s < SHORT_BLOCK_S
        @comparison.paired? ? nil : word(:other_times)
      end

      def short_blocks
        held = @comparison.held
        held ? word(:few_blocks, block:, before: sizes.first, after: sizes.last,
          held: (held * 100).round) : word(:short_blocks, block:)
      end
    end
  end
end
