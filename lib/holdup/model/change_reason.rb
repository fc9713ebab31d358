# frozen_string_literal: true

require_relative "utf8"

module Holdup
  # Why a setting was changed while processes run: a key with facts, which each language says in its words
  # (`why_<key>`), or text that somebody wrote (`text`, with no key). Plans, the audit log and the autopilot's
  # files keep it as one line of text.
  ChangeReason = Data.define(:key, :facts, :text) do
    # @param key [Symbol]
    # @param facts values without line breaks; `why`: a reason in the reason
    def self.of(key, **facts)
      new(key:, facts: facts.transform_values(&:to_s).freeze, text: nil)
    end

    # @param line [String] of to_s, or what somebody wrote
    # @return [ChangeReason]
    def self.parse(line)
      written = self::WRITTEN.match(line.to_s)
      return new(key: nil, facts: {}.freeze, text: line.to_s) unless written
      facts = written[:facts].split.to_h { |fact| fact.split("=", 2) }
      facts = facts.to_h { |name, value| [name.to_sym, plain(value)] }
      new(key: written[:key].to_sym, facts: facts.freeze, text: nil)
    end

    def self.plain(value)
      value.b.gsub(self::ESCAPED) { $1.hex.chr }.force_encoding(Encoding::UTF_8)
    end
    private_class_method :plain

    # @return [String] one line
    def to_s
      return text unless key
      facts.map { |name, value| " #{name}=#{escaped(value)}" }.unshift("@#{key}").join
    end

    # @return [String] for logs
    def english
      sentence = self.class::ENGLISH[key] or return text || to_s
      format(sentence, **facts, **{why: facts[:why] && self.class.parse(facts[:why]).english}.compact)
    end

    private

    def escaped(value)
      value.b.gsub(/[\x00-\x20%]/n) { |char| format("%%%02x", char.ord) }.force_encoding(Encoding::UTF_8)
    end
  end

  ChangeReason::WRITTEN = /\A@(?<key>[a-z_]+)(?<facts>(?: [a-z_]+=\S*)*)\z/
  ChangeReason::ESCAPED = /%(\h\h)/
  # What the locale `en` has, too; no locale is loaded in the application.
  ChangeReason::ENGLISH = {
    off: "off",
    no_process: "no process",
    several_configured: "several configured",
    frozen: "frozen",
    frozen_by: "operator %{by}: frozen",
    worker: "worker %{pid}: %{why}",
    configured: "%{threads} are configured now",
    limits: "config.autopilot allows %{threads}",
    collector_away: "the collector was away",
    deploy: "deploy",
    not_judged: "it could not be judged",
    verdict: "%{key}: %{text}",
    lease: "its lease was not renewed for %{seconds} s",
    plan_over: "its plan is over",
    time_over: "its time is over",
    clock_back: "the clock was set back",
    stopped: "stopped before its end",
    turn: "turn %{number} of %{count}, %{arm}",
    turn_of_equals: "turn %{number} of %{count}, %{arm} of the A/A phase",
    errors: "%{share} %% of %{count} requests failed",
    slow: "%{percentile} of %{count} requests was %{found} ms, over %{goal}",
    unreadable: "its requests can't be read (%{error})",
    replay: "the replay expects %{share} %% less wait at %{percentile}"
  }.freeze
end
