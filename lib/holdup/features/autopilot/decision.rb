# frozen_string_literal: true

module Holdup
  module Autopilot
    # The next step, without effects: from what is remembered and what is so now.
    class Decision
      # A process that is younger is warming up, or belongs to a deploy.
      QUIET_S = 600
      ASK_EVERY_S = 600
      # Wait after the end of an experiment, until its last windows are stored and judged.
      GRACE_S = 300
      LEAST_LOAD = 0.5
      MOST_HISTORY = 20
      # Verdicts after which the candidate is not tried again that day.
      OVER = %w[worse both none invalid].freeze
      # What stays said until the next answer.
      ANSWERED = %i[unknown not_fresh low_load self_test best_already limits refused returned].freeze
      # First seconds of a turn that belong to no arm: a process that is new warms up in them.
      SETTLE_S = {"threads" => 30, "processes" => 90}.freeze
      # Blocks of the A/A phase, see Experiment::LookSchedule.
      EQUAL_CYCLES = 6

      # `state`: State; `question`: :candidate, :verdict, nil; `lines`: for the log
      NextStep = Data.define(:state, :question, :lines)

      # @param quiet_s [Integer] see QUIET_S; `grace_s`: see GRACE_S; `ask_every_s`: see ASK_EVERY_S
      # @param random [#rand] for ids and the order of turns
      def initialize(quiet_s: QUIET_S, grace_s: GRACE_S, ask_every_s: ASK_EVERY_S, random: Random.new)
        @quiet_s = quiet_s
        @grace_s = grace_s
        @ask_every_s = ask_every_s
        @random = random
      end

      # @param state [State]
      # @param now [CollectorPart::AutopilotSituation]
      # @return [NextStep]
      def call(state, now)
        begun = state.begun.select { |at_s| at_s.between?(now.now_s - DAY_S, now.now_s) }
        @state = state.with(begun:, refused: state.refused.select { |_, until_s| until_s > now.now_s })
        @now = now
        @question = nil
        @lines = []
        decide
        NextStep.new(state: @state, question: @question, lines: @lines)
      end

      private

      def decide
        return wait(:no_process, @now.fixed) if @now.processes.zero?
        return forget(:off) unless @now.goal
        return frozen if @now.frozen_by
        thawed if @state.waits == :frozen
        return forget(:other_lever) if [@state.plan, @state.kept].compact.any? { |one| one.lever != lever }
        return forget(:several_configured) unless @now.configured.one?
        heed_workers
        check_kept
        @state.plan ? judge : look_for_candidate
        renew
      end

      def configured = @now.configured.first

      def lever = @now.goal.lever

      # @return [Range]
      def allowed = @now.goal.range(lever)

      # What all workers have outside of an experiment.
      def present = @state.kept ? @state.kept.values.last : configured

      def wait(reason, detail = "")
        @state = @state.with(waits: reason, detail: detail.to_s)
      end

      def forget(reason)
        give_up_experiment(ChangeReason.of(reason))
        drop_kept(ChangeReason.of(reason))
        wait(reason)
      end

      # What is kept returns after the thaw.
      def frozen
        unless @state.waits == :frozen
          @lines << "autopilot: frozen, so #{lever} return to what is configured and nothing is tried " \
            "(#{@now.by}: operator #{@now.frozen_by})"
        end
        give_up_experiment(ChangeReason.of(:frozen_by, by: @now.frozen_by))
        wait(:frozen)
      end

      def thawed
        kept = @state.kept and also = ", #{kept.lever} #{kept.values.join(" -> ")} are kept again"
        @lines << "autopilot: thawed, so it goes on#{also} (#{@now.by})"
      end

      # What a worker took back by itself is not tried again that day.
      def heed_workers
        @now.taken_back.each do |taken|
          next unless [@state.plan&.id, @state.kept&.id].include?(taken.id)
          why = ChangeReason.of(:worker, pid: taken.pid, why: taken.why)
          refuse(taken.value)
          (@state.plan&.id == taken.id) ? give_up_experiment(why) : drop_kept(why)
        end
      end

      # The user's decisions come first.
      def check_kept
        kept = @state.kept or return
        if kept.values.first != configured
          drop_kept(ChangeReason.of(:configured, threads: configured))
        elsif !allowed.cover?(kept.values.last)
          drop_kept(ChangeReason.of(:limits, threads: allowed))
        elsif lease_over?
          @lines << "autopilot #{kept.id}: #{kept.lever} #{kept.values.join(" -> ")} again (#{@now.by}: " \
            "its lease had run out)"
        end
      end

      def lease_over? = @now.now_s - @state.renewed_s >= @now.goal.lease || @now.now_s < @state.renewed_s

      def judge
        plan = @state.plan
        reason = broken_off(plan)
        return give_up_experiment(reason) if reason
        heed_verdict(plan, @now.answer) if @now.answer
        return unless @state.plan
        wait(:experiment)
        ask(:verdict, every_s: [plan.turns.cycle_s, @ask_every_s].min) if @now.now_s > plan.turns.changes_s
      end

      def broken_off(plan)
        if lease_over? then ChangeReason.of(:collector_away)
        elsif @now.revisions != [@state.revision] then ChangeReason.of(:deploy)
        elsif !allowed.cover?(plan.values.last) then ChangeReason.of(:limits, threads: allowed)
        elsif plan.values.first != present then ChangeReason.of(:configured, threads: configured)
        elsif @now.now_s >= plan.turns.ends_s + @grace_s then ChangeReason.of(:not_judged)
        end
      end

      def heed_verdict(plan, answer)
        return unless answer["id"] == plan.id
        why = ChangeReason.parse(answer["why"])
        if answer["key"] == "better" then keep(plan, why)
        elsif OVER.include?(answer["key"])
          refuse(plan.values.last)
          give_up_experiment(why)
        end
      end

      def keep(plan, why)
        from, to = plan.values
        kept = plan.with(values: [configured, to], turns: nil, why: why.to_s) unless to == configured
        @state = @state.with(plan: nil, kept:, changed_s: @now.now_s)
        record(plan, from, to, why)
        @lines << "autopilot #{plan.id}: #{plan.lever} #{from} -> #{to} for all workers (#{because(why)})"
      end

      def look_for_candidate
        reason = not_now
        return wait(reason) if reason
        if @now.answer&.key?(lever)
          heed_candidate(@now.answer)
        elsif !ANSWERED.include?(@state.waits)
          wait(:looking)
        end
        ask(:candidate, every_s: @ask_every_s) unless @state.plan
      end

      # @return [Symbol, nil] why no experiment may begin, whatever the candidate
      def not_now
        if @now.other then :other_experiment
        elsif @now.revisions.size > 1 then :deploy
        elsif @now.youngest_s < @quiet_s then :warm_up
        elsif @state.begun.size >= @now.goal.changes_per_day then :daily_limit
        end
      end

      # @param answer [Hash] of `holdup autopilot candidate`
      def heed_candidate(answer)
        value = answer[lever]
        if answer["reason"] then wait(:unknown, answer["reason"])
        elsif !answer["fresh"] then wait(:not_fresh)
        elsif answer["load"].to_f < LEAST_LOAD then wait(:low_load)
        elsif answer["grade"] == "c" then wait(:self_test)
        elsif !value.is_a?(Integer) || value == present then wait(:best_already)
        elsif !allowed.cover?(value) then wait(:limits, value)
        elsif @state.refused.key?(value) then wait(:refused, value)
        else
          begin_experiment(value, answer)
        end
      end

      def begin_experiment(value, answer)
        plan = plan(value, answer)
        @state = @state.with(plan:, revision: @now.revisions.first, begun: [*@state.begun, @now.now_s],
          renewed_s: @now.now_s, asked_s: @now.now_s)
        wait(:experiment)
        record(plan, present, value, ChangeReason.parse(plan.why))
        ends = Time.at(plan.turns.ends_s).utc.strftime("%H:%M UTC")
        @lines << "autopilot #{plan.id}: #{lever} #{present} -> #{value} in turns until #{ends} " \
          "(#{because(ChangeReason.parse(plan.why))})"
      end

      def plan(value, answer)
        turn_s = @now.goal.turn
        turn_s -= turn_s % 60 if turn_s > 60
        cycles = (answer["planned_s"].to_i / (2 * turn_s)).clamp(EQUAL_CYCLES, longest(turn_s))
        settle_s = [SETTLE_S.fetch(lever), turn_s / 2].min
        turns = Switchback.after(@now.now_s, turn_s:, settle_s:, cycles:,
          equal_cycles: EQUAL_CYCLES, seed: @random.rand(1 << 31))
        ExperimentPlan.new(id: @random.rand(36**4).to_s(36).rjust(4, "0"), lever:,
          values: [present, value], turns:, lease: lease, by: @now.by, why: answer["why"].to_s)
      end

      def longest(turn_s) = ExperimentPlan::LONGEST_S / (2 * turn_s) - EQUAL_CYCLES

      def lease = PlanLease.new(leased_s: @now.now_s, lease_s: @now.goal.lease)

      def give_up_experiment(why)
        plan = @state.plan or return
        @state = @state.with(plan: nil)
        back = @now.configured.one? ? present : "configured"
        record(plan, plan.values.last, back, why)
        @lines << "autopilot #{plan.id}: #{plan.lever} #{plan.values.last} -> #{back} (#{because(why)})"
        wait(:returned, why.to_s)
      end

      def drop_kept(why)
        kept = @state.kept or return
        @state = @state.with(kept: nil, changed_s: @now.now_s)
        # An experiment with it as its control has lost its meaning.
        give_up_experiment(why)
        back = @now.configured.one? ? configured : "configured"
        record(kept, kept.values.last, back, why)
        @lines << "autopilot #{kept.id}: #{kept.lever} #{kept.values.last} -> #{back} (#{because(why)})"
        wait(:returned, why.to_s)
      end

      def because(why) = "#{@now.by}: #{why.english}"

      def refuse(value)
        @state = @state.with(refused: {**@state.refused, value => @now.now_s + DAY_S})
      end

      def record(plan, from, to, why)
        entry = {at_s: @now.now_s, id: plan.id, lever: plan.lever, from:, to:, by: @now.by,
                 why: why.to_s[0, 300]}
        @state = @state.with(history: [*@state.history, entry].last(MOST_HISTORY))
      end

      def ask(question, every_s:)
        return if @now.now_s - @state.asked_s < every_s
        @question = question
        @state = @state.with(asked_s: @now.now_s)
      end

      def renew
        return unless @state.plan || @state.kept
        @state = @state.with(plan: @state.plan&.with(lease:), kept: @state.kept&.with(lease:),
          renewed_s: @now.now_s)
      end
    end
  end
end
