# frozen_string_literal: true

require "json"

module Holdup
  module Experiment
    # The content of `holdup experiment status` and `report` before layout: the verdict, what to do next, what
    # it rests on, and the figures of both arms.
    class Report
      LEVELS = {better: :good, worse: :fail, both: :warn, invalid: :warn}.freeze
      # Percent from which three decimals would be rounded to 100.
      LARGEST_LEVEL = 99.9995

      # @param experiment [Result]
      # @param kind [Symbol] of the units
      # @param fact [String] that separates the arms
      # @param changes [Array<AuditEntry>, nil] of arms that take turns; nil: arms side by side
      def initialize(experiment, words:, kind: :request, fact: Setting::LABEL, changes: nil)
        @experiment = experiment
        @words = words
        @kind = kind
        @fact = fact
        @cells = Compare::Report::Cells.new(words)
        @audit = View::AuditLog.new(changes, words:) if changes
      end

      # @param figures [Boolean] whether with the figures of both arms
      def page(figures: true)
        notes = View::Blocks::Notes.new(texts: [next_step, *equality, *remarks].compact)
        lead = View::Blocks::Lead.new(text: verdict, level: LEVELS.fetch(answer.key, :plain))
        View::Page.new(title: word(:title, units: @words.units(@kind)), about: [*arms, progress],
          blocks: [lead, notes, *(figures_and_changes if figures)])
      end

      # @return [String] for programs, ends with a newline
      def json
        facts = Json.new(@experiment, sentences: self).to_h
        "#{JSON.pretty_generate({**facts, changes: @audit&.to_a})}\n"
      end

      # @return [String] the answer in one sentence
      def verdict
        case answer.key
        when :better, :worse, :both then @words.call(:"compare_#{answer.key}", moved: moved(answer.moved))
        when :none then word(:none, visible: visible)
        when :running then word(:running, **next_look)
        else invalid
        end
      end

      # @return [String] what to do now
      def next_step
        labels = {control: label(@experiment.control), candidate: label(@experiment.candidate)}
        case answer.key
        when :invalid then word(:"next_#{answer.reason}")
        when :none then boots_decide || word(:next_none, **labels)
        else word(:"next_#{answer.key}", **labels, fact: @fact)
        end
      end

      private

      def word(key, **facts) = @words.call(:"experiment_#{key}", **facts)

      def answer = @experiment.answer

      def estimates = @experiment.estimates

      def label(side) = View::Width.clean(@words.setting_label(side.label))

      # @return [String, nil] nil unless only the draw of the processes hides a difference
      def boots_decide
        decided = @experiment.decided_by_boots
        return if decided.empty?
        control, candidate = @experiment.sides.map { |side| View::Figures.count(side.processes) }
        word(:next_boots, moved: moved(decided.map(&:without_boots)), control:, candidate:)
      end

      def boots
        spread = @experiment.boots&.spread or return
        deviation = View::Figures.share(spread.deviation)
        count = View::Figures.count(spread.processes)
        spread.assumed? ? word(:draw_assumed, deviation:) : word(:draw_found, deviation:, count:)
      end

      def figures_and_changes
        changes = @audit.narrow_section if @audit && !@audit.empty?
        [(table if estimates.any?), changes].compact
      end

      def arms
        @experiment.sides.zip(%i[control candidate]).map do |side, role|
          word(:side, role: word(role), label: label(side), units: @words.units(@kind, side.units),
            count: View::Figures.count(side.units), processes: View::Figures.count(side.processes))
        end
      end

      def progress
        blocks = @experiment.blocks.size
        schedule = @experiment.schedule
        facts = {blocks: View::Figures.count(blocks), block: @cells.seconds(schedule.block_s),
                 planned: View::Figures.count(schedule.blocks)}
        return word(:one_look, **facts) if schedule.looks == 1
        look = answer.look || @experiment.looks.size
        word(look.zero? ? :before_looks : :progress, look:, looks: schedule.looks, **facts)
      end

      # The next look, and how long it takes to get there.
      def next_look
        schedule = @experiment.schedule
        blocks = @experiment.blocks.size
        size = schedule.sizes.find { |one| one > blocks } || schedule.blocks
        rest_s = [size - blocks, 1].max * schedule.block_s
        {size: View::Figures.count(size), block: @cells.seconds(schedule.block_s),
         rest: View::Figures.rough(rest_s * 1_000_000_000)}
      end

      def invalid
        case answer.reason
        when :deploy then word(:deploy, revisions: @words.list(revisions))
        when :too_little then word(:too_little, **too_little)
        when :unequal then word(:unequal, found: unequal)
        when :unchecked then word(:unchecked, least: LookSchedule::FEWEST)
        else word(:drift)
        end
      end

      def revisions
        @experiment.revisions.map { |text| View::Width.clean(text.empty? ? View::Figures::NONE : text) }
      end

      def too_little
        counts = @experiment.sides.map { |side| View::Figures.count(side.units) }
        {blocks: View::Figures.count(@experiment.blocks.size),
         block: @cells.seconds(@experiment.schedule.block_s),
         control: counts.first, candidate: counts.last, units: @words.units(@kind),
         least_blocks: LookSchedule::FEWEST,
         least: Result::FEWEST_UNITS}
      end

      def unequal
        found = @experiment.equality.select { |result| result.key == :unequal }
        texts = found.map do |result|
          @words.labelled(View::Width.clean(result.label), moved(result.moved))
        end
        @words.list(texts)
      end

      def moved(estimates)
        texts = estimates.map do |estimate|
          metric = estimate.metric
          change = @cells.change(estimate.relative)
          change = @cells.signed(metric, estimate.difference) unless estimate.relative?
          interval = @cells.interval(estimate, @experiment.level)
          @words.call(:compare_moved, figure: @cells.name(metric), change:, interval:)
        end
        texts.join(@words.call(:compare_also))
      end

      def visible
        known = estimates.filter_map do |estimate|
          share = estimate.visible(@experiment.level) or next
          @words.call(:compare_visible, figure: @cells.name(estimate.metric), share: @cells.visible(share))
        end
        known.join(@words.call(:compare_also))
      end

      def equality
        checks = @experiment.equality
        return [word(:no_equality)] if checks.empty?
        by_key = checks.group_by(&:key).transform_values do |results|
          @words.list(results.map { |result| View::Width.clean(result.label) })
        end
        least = LookSchedule::FEWEST
        [by_key[:equal] && word(:equal, arms: by_key[:equal]),
          by_key[:unknown] && word(:equality_unknown, arms: by_key[:unknown], least:)]
      end

      def remarks
        return [] if @experiment.blocks.size.zero?
        comparison = @experiment.comparison
        [cause(comparison), boots, mix(comparison), left_out(comparison)]
      end

      # Arms may differ in what no setting has, such as a line of code.
      def cause(comparison)
        return word(:same_settings) if comparison.change.none?
        Compare::Sentences.new(comparison, words: @words).cause
      end

      def mix(comparison)
        effect = comparison.mix_effect
        word(:mix, change: @cells.change(effect)) if effect.abs >= Compare::Comparison::MIX
      end

      def left_out(comparison)
        control, candidate = comparison.left_out
        return if [control, candidate].max < Compare::Comparison::LEFT_OUT
        word(:left_out, control: View::Figures.share(control), candidate: View::Figures.share(candidate))
      end

      def table
        looked = @experiment.looked?
        columns = [@words.call(:compare_figure), word(:control), word(:candidate), "%",
          looked ? word(:interval, level:) : word(:later_interval), word(:visible), ""]
        View::Section.new(title: word(:figures), columns:, rows: estimates.map { |estimate| row(estimate) },
          notes: looked ? [*(word(:figures_pairs) if @experiment.turns?), figures_note] :
            [word(:figures_before_looks)])
      end

      def figures_note
        word(:figures_note, figures: estimates.size, looks: @experiment.schedule.looks, level:)
      end

      # @return [String] "98.3 %"; an early look has "99.982 %"
      def level
        percent = @experiment.level * 100
        return format("%.1f %%", percent) if percent < 99.9
        (percent < LARGEST_LEVEL) ? format("%.3f %%", percent) : ">99.999 %"
      end

      def row(estimate)
        metric = estimate.metric
        [@cells.name(metric), @cells.value(metric, estimate.before), @cells.value(metric, estimate.after),
          @cells.change(estimate.relative), *certainty(estimate)]
      end

      # @return [Array<String>] the last three cells, which a look fills
      def certainty(estimate)
        return [View::Figures::NONE, View::Figures::NONE, ""] unless @experiment.looked?
        level = @experiment.level
        share = estimate.visible(level)
        interval = @experiment.interval(estimate) && @cells.interval(estimate, level)
        [interval || View::Figures::NONE, share ? @cells.visible(share) : View::Figures::NONE, mark(estimate)]
      end

      def mark(estimate)
        found = estimate.verdict(@experiment.level)
        %i[better worse].include?(found) ? @words.call(:"compare_mark_#{found}") : ""
      end

      # An experiment for programs. docs/schema/experiment.json describes the keys.
      class Json
        include View::Json::Values

        SCHEMA = 1

        # @param sentences [Holdup::Report::FullReport]
        def initialize(experiment, sentences:)
          @experiment = experiment
          @sentences = sentences
        end

        def to_h
          {schema: SCHEMA, verdict:, control: arm(@experiment.control), candidate: arm(@experiment.candidate),
           looks:, equality:, boots:, figures: @experiment.estimates.map { |estimate| figure(estimate) }}
        end

        private

        def verdict
          answer = @experiment.answer
          {key: answer.key, reason: answer.reason, text: @sentences.verdict, next: @sentences.next_step,
           moved: answer.moved.map { |estimate| estimate.metric.name },
           level: (@experiment.level.round(6) if @experiment.looked?)}
        end

        def arm(side)
          {label: clean(side.label), units: side.units, processes: side.processes,
           settings: side.settings.map(&:fingerprint)}
        end

        def looks
          schedule = @experiment.schedule
          {planned: schedule.sizes, reached: @experiment.looks, look: @experiment.answer.look,
           blocks: @experiment.blocks.size, block_seconds: schedule.block_s}
        end

        def equality
          @experiment.equality.map do |result|
            {label: clean(result.label), key: result.key,
             moved: result.moved.map { |estimate| estimate.metric.name }}
          end
        end

        # Of elapsed time; nil where both arms have the same processes.
        def boots
          spread = @experiment.boots&.spread or return
          {deviation: spread.deviation.round(4), assumed: spread.assumed?, processes: spread.processes,
           decides: @experiment.decided_by_boots.map { |estimate| estimate.metric.name }}
        end

        # @return [Array<Float>, nil] were the processes of an arm alike; nil where that changes nothing
        def alone(estimate)
          range = @experiment.interval(estimate.without_boots) if estimate.boots
          range && [range.begin, range.end].map { |bound| bound.round(5) }
        end

        def figure(estimate)
          range = @experiment.interval(estimate)
          looked = @experiment.looked?
          bounds = range && [range.begin, range.end].map { |bound| bound.round(5) }
          metric = estimate.metric
          {name: metric.name, unit: metric.unit, control: round(metric, estimate.before),
           candidate: round(metric, estimate.after), relative: estimate.relative&.round(5),
           relative_interval: (bounds if estimate.relative?), relative_interval_alone: alone(estimate),
           difference_interval: (bounds unless estimate.relative?),
           visible: looked ? estimate.visible(@experiment.level)&.round(4) : nil,
           verdict: looked ? estimate.verdict(@experiment.level) : nil}
        end

        def round(metric, value)
          (metric.unit == :ns) ? value.round : value.round(6)
        end
      end

      # The content of `holdup experiment plan`: how long an experiment takes at this traffic.
      class TimeNeeded
        # The figure of the first sentence.
        FIRST = :wall_p95

        # @param outlook [Reader::ExperimentOutlook]
        # @param planned_s [Integer, nil] a length whose smallest difference is wanted
        def initialize(outlook, words:, kind: :request, planned_s: nil)
          @outlook = outlook
          @words = words
          @kind = kind
          @planned_s = planned_s
          @cells = Compare::Report::Cells.new(words)
        end

        def page
          View::Page.new(title: word(:title), about: [basis],
            blocks: [View::Blocks::Lead.new(text: lead), notes, table])
        end

        # @return [String] for programs, ends with a newline
        def json
          facts = {schema: Json::SCHEMA, basis: @outlook.basis, block_seconds: @outlook.block_s,
                   per_second: @outlook.rate&.round(4), equality: @outlook.equality.key, text: lead,
                   figures: effects.map { |effect| figure(effect) }}
          "#{JSON.pretty_generate(facts)}\n"
        end

        private

        def word(key, **facts) = @words.call(:"experiment_plan_#{key}", **facts)

        def effects = @outlook.effects

        def shares = LookSchedule::DetectableEffect::SHARES

        def basis
          word(@outlook.basis, rate: View::Figures.rate(@outlook.rate), units: @words.units(@kind),
            block: @cells.seconds(@outlook.block_s))
        end

        def lead
          effect = effects.find { |one| one.estimate.metric.name == FIRST && one.known? }
          return word(:unknown) unless effect
          share = shares.find { |one| effect.seconds(one) }
          figure = @cells.name(effect.estimate.metric)
          return word(:too_long, figure:, share: percent(shares.last)) unless share
          word(:lead, time: time(effect.seconds(share)), share: percent(share), figure:)
        end

        def notes
          unequal = (@outlook.equality.key == :unequal) ? [word(:unequal)] : []
          View::Blocks::Notes.new(texts: [*unequal, word(:next)], warning: unequal.any?)
        end

        def table
          columns = [@words.call(:compare_figure), word(:now), *shares.map { |share| percent(share) }]
          columns << word(:within, time: time(@planned_s)) if @planned_s
          View::Section.new(title: word(:table), columns:, rows: effects.map { |effect| row(effect) },
            notes: [word(:note)])
        end

        def row(effect)
          metric = effect.estimate.metric
          times = shares.map { |share| time(effect.seconds(share)) }
          cells = [@cells.name(metric), @cells.value(metric, effect.estimate.before), *times]
          return cells unless @planned_s
          share = effect.share(@planned_s)
          [*cells, share ? @cells.visible(share) : View::Figures::NONE]
        end

        def percent(share) = "#{(share * 100).round} %"

        def time(seconds)
          seconds ? View::Figures.rough(seconds * 1_000_000_000) : View::Figures::NONE
        end

        def figure(effect)
          metric = effect.estimate.metric
          {name: metric.name, unit: metric.unit, now: effect.estimate.before.round,
           seconds: shares.to_h { |share| [share.to_s, effect.seconds(share)] },
           planned_seconds: @planned_s, visible: @planned_s && effect.share(@planned_s)&.round(4)}
        end
      end
    end
  end
end
