# frozen_string_literal: true

module Holdup
  module Notify
    # What somebody should be told of. Each rule gets what the store says (WatchedFacts) and what is asked for
    # (NotifyPlan), and returns a NoticeFinding, or nil.
    module NoticeRules
      # - `rule`: its key; `facts`: Hash for its sentence and for later findings, as JSON takes it
      # - `text`: what the report says of it, which is not kept
      # - `lasts`: whether it can be over: a death can't
      # - `noted`: whether nobody is told of it, see Notice::STATES
      NoticeFinding = Data.define(:rule, :facts, :text, :lasts, :noted) do
        def initialize(rule:, facts:, text: nil, lasts: true, noted: false) = super
      end

      # Requests and jobs wait for the GVL for a larger share of their elapsed time than is asked for.
      module Stall
        # One that has begun is over below this share of the limit: else it would come and go around it.
        OVER = 0.8
        # Of fewer requests and jobs the share is mostly chance.
        FEWEST = 100

        module_function

        def call(watched, plan)
          limit = watched.open?(:stall) ? plan.stall * OVER : plan.stall
          now = watched.now
          return if now.count < FEWEST || now.stalled_share < limit
          NoticeFinding.new(rule: :stall, text: now.text,
            facts: {share: now.stalled_share.round(4), count: now.count, limit: plan.stall})
        end
      end

      # The main cause is another one than before, both in the last minutes and over the hour: what is only in
      # one of them passes.
      module Verdict
        # What says nothing of the application.
        UNKNOWN = %w[no_data calm].freeze

        module_function

        def call(watched, _plan)
          now = watched.now
          return if now.count < Stall::FEWEST || now.verdict != watched.hour.verdict
          before = watched.last(:verdict)&.facts
          return if before == now.verdict
          known = !before.nil? && !UNKNOWN.include?(now.verdict[:key])
          NoticeFinding.new(rule: :verdict, facts: now.verdict, text: now.text, lasts: false, noted: !known)
        end
      end

      # Processes died of whom nobody was told.
      module Deaths
        # Ids that are kept, so that none is told twice.
        MOST = 200

        module_function

        def call(watched, _plan)
          told = watched.told.flat_map { |notice| notice.facts.fetch(:ids, []) }
          fresh = watched.deaths.reject { |death| told.include?(death.fetch(:id)) }
          return if fresh.empty?
          facts = {count: fresh.size, ids: fresh.last(MOST).map { |death| death.fetch(:id) }}
          NoticeFinding.new(rule: :deaths, facts:, text: fresh.last.fetch(:text), lasts: false)
        end
      end

      # Requests spend the promise so fast that it will be broken: over five minutes and over an hour, so that
      # neither an old nor a very short problem is told (Google, The Site Reliability Workbook, chapter 5).
      module BrokenSlo
        # Times the even pace at which a month's budget would be spent; with it, 2 % of the budget go in an
        # hour.
        BURN = 14.4
        # The pace can't be reached where the promise is about few: then this share of all requests counts.
        MOST_SHARE = 0.5

        module_function

        def call(watched, _plan)
          promise = watched.promise or return
          return if promise.count < Stall::FEWEST
          limit = [BURN * promise.budget, MOST_SHARE].min
          return unless [promise.lately, promise.hour].all? { |share| share >= limit }
          burn = (promise.lately / promise.budget).round(1)
          facts = {slo: promise.slo, share: promise.lately.round(4), hour: promise.hour.round(4), burn:}
          NoticeFinding.new(rule: :slo, facts:)
        end
      end

      # A revision is worse than the one before it. Each is told once, whatever later looks say of it.
      module WorseRevision
        RULE = "revision"
        private_constant :RULE

        module_function

        def call(watched, _plan)
          fresh = watched.revisions.find { |facts| facts.worse? && !told?(watched, facts) }
          if fresh
            NoticeFinding.new(rule: :revision, facts: fresh.told, text: fresh.text, lasts: false)
          elsif watched.open?(:revision) && !over?(watched)
            NoticeFinding.new(rule: :revision, facts: watched.last(:revision).facts)
          end
        end

        def told?(watched, facts)
          watched.told.any? do |notice|
            notice.rule == RULE && notice.facts.slice(:app, :revision, :before) ==
              facts.to_h.slice(:app, :revision, :before)
          end
        end

        # A later revision is better, or this one no longer differs. Without a comparison nothing is known.
        def over?(watched)
          told = watched.last(:revision).facts
          now = watched.revisions.find { |facts| facts.app == told[:app] } or return false
          now.key == :better || (now.key == :none && now.revision == told[:revision])
        end
        private_class_method :told?, :over?
      end

      # The autopilot keeps other threads, or has taken them back.
      module Autopilot
        module_function

        def call(watched, _plan)
          since_s = watched.last(:autopilot)&.facts&.fetch(:at_s, nil).to_i
          changes = watched.changes.select { |change| change.fetch(:at_s) > since_s }
          return if changes.empty?
          NoticeFinding.new(rule: :autopilot, facts: changes.last, lasts: false)
        end
      end

      # Collectors that have not stored anything for minutes, while their processes did not end.
      module SilentCollectors
        SHOWN = 5

        module_function

        def call(watched, _plan)
          return if watched.silent_hosts.empty?
          hosts = watched.silent_hosts.sort
          NoticeFinding.new(rule: :collector, facts: {count: hosts.size, hosts: hosts.first(SHOWN)})
        end
      end

      # By key; the failure of the store is found where it is read.
      ALL = {stall: Stall, verdict: Verdict, deaths: Deaths, slo: BrokenSlo,
             revision: WorseRevision, autopilot: Autopilot, collector: SilentCollectors}.freeze

      # @param watched [WatchedFacts]
      # @param plan [ConfigurationKeys::NotifyPlan]
      # @return [Array<NoticeFinding>] of the rules that are asked for
      def self.call(watched, plan)
        ALL.slice(*plan.rules).values.filter_map { |rule| rule.call(watched, plan) }
      end
    end

    # What the rules look at.
    #
    # - `now`, `hour`: SpanFacts of the last minutes and of the last hour
    # - `deaths`: Array of Hash, `id` and `text`; `changes`: Array of Hash, what the autopilot did: `at_s`,
    #   `from`, `to`, `why`; both by time
    # - `promise`: PromiseFacts, nil: no SLO is set, or no request was measured
    # - `revisions`: Array of RevisionFacts, one for each application
    # - `silent_hosts`: Array of String; `told`: Array of Notice, by time
    NoticeRules::WatchedFacts = Data.define(:now, :hour, :deaths, :changes, :promise, :revisions,
      :silent_hosts, :told) do
      def initialize(now:, hour:, deaths: [], changes: [], promise: nil, revisions: [], silent_hosts: [],
        told: []) = super

      # @param rule [Symbol]
      # @return [Notice, nil] the last one of the rule
      def last(rule) = told.reverse.find { |notice| notice.rule == rule.name }

      # @return [Boolean] whether somebody was told that it began, and not yet that it is over
      def open?(rule) = last(rule)&.state == :began
    end

    # A span: `count` of requests and jobs, `stalled_share` of their elapsed time, `verdict`: Hash, its `key`
    # and `cause`, a name or nil; `text`: the sentence of the report
    NoticeRules::SpanFacts = Data.define(:count, :stalled_share, :verdict, :text)

    # `slo`: "p95=300ms"; `budget`: share of requests that may be slower; `lately`, `hour`: the share
    # that was; `count`: requests of the last minutes
    NoticeRules::PromiseFacts = Data.define(:slo, :budget, :lately, :hour, :count)
  end
end
