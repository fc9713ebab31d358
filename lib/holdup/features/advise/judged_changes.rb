# frozen_string_literal: true

require "json"

module Holdup
  module Advise
    # The changes of the size that were compared with their prediction, or could not be, as a store keeps them
    # for readers: so each is judged once, and why one has no outcome is known.
    class JudgedChanges
      # - `key`: see SizeChanges::SizeChange; `app`: name of the application; `changed_s`: when it was
      # - `facts`: {String => [value before, value after]} what changed of the size
      # - `reason`: Symbol, why it has no outcome; nil where it has one
      JudgedChange = Data.define(:key, :app, :changed_s, :facts, :reason) do
        # @param change [SizeChanges::SizeChange]
        def self.of(change, reason: nil)
          new(key: change.key, app: Analysis::ApplicationShares.name(change.before),
            changed_s: change.changed_s, facts: change.sizes, reason:)
        end
      end

      VERSION = 1
      REASONS = %i[revision other_settings few_before unpredicted few_after same_size failed].freeze
      # It is written again before the store would forget it.
      REFRESH_S = Store::KeptAnswer::KEEP_S / 2
      # More changes than a store sees in the time for which it keeps single requests and jobs.
      MOST = 200

      # @param kind [Symbol] of the units
      # @return [String] by which the store keeps them
      def self.question(kind) = "judged changes #{kind} #{VERSION}"

      # @param kind [Symbol] of the units
      # @param answer [Store::KeptAnswer, nil] to that question
      def initialize(kind, answer = nil)
        @kind = kind
        @answer = answer
      end

      # @return [Array<JudgedChange>] the earliest first; empty for what this version can't read
      def to_a
        @judged ||= @answer ? parsed(@answer.text) : []
      end

      # @param judged [JudgedChange] replaces an earlier one of the same change
      # @return [Store::KeptAnswer] with it
      def adding(judged, at_s:)
        kept_answer([*to_a.reject { |one| one.key == judged.key }, judged], at_s)
      end

      # @return [Store::KeptAnswer, nil] nil unless the store would soon forget it
      def renewed(at_s:)
        kept_answer(to_a, at_s) if @answer && at_s - @answer.at_s > REFRESH_S
      end

      private

      # Those whose requests are not kept any more can't come up again.
      def kept_answer(judged, at_s)
        recent = judged.select { |one| one.changed_s > at_s - Store::SampleRetention::KEEP_S }
        text = JSON.generate(recent.sort_by(&:changed_s).last(MOST).map(&:to_h))
        Store::KeptAnswer.new(question: self.class.question(@kind), at_s:, text:)
      end

      def parsed(text)
        JSON.parse(text).map do |one|
          key, app, changed_s, facts, reason = one.fetch_values(*JudgedChange.members.map(&:name))
          reason = REASONS.find { |known| known.name == reason } if reason
          JudgedChange.new(key: String(key), app: String(app), changed_s: Integer(changed_s),
            facts: Hash(facts), reason:)
        end
      rescue ArgumentError, JSON::ParserError, KeyError, NoMethodError, TypeError
        []
      end
    end
  end
end
