# frozen_string_literal: true

require_relative "utf8"

module Holdup
  # Why a setting was changed while processes run: a key with facts, which each language says in its words
  # (`why_<key>`), or text that somebody wrote (`text`, with no key). Plans, the audit log and the autopilot's
  # files keep it as one line of text.
  ChangeReason = Data.define(:key, :facts, :text) do
    # @param key [Symbol]
    # @param facts values without line breaks; `why`: a reason in the reason; `moved`, `visible`: Arrays of
    #   JudgedFigure
    def self.of(key, **facts)
      facts = facts.transform_values { |value| value.is_a?(Array) ? value.join(";") : value.to_s }
      new(key:, facts: facts.freeze, text: nil)
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
      format(sentence, **facts.to_h { |name, fact| [name, in_english(name, fact)] })
    end

    # @param name [Symbol] of a fact
    # @return [Array<JudgedFigure>]
    def figures(name) = facts.fetch(name).split(";").map { |text| self.class::JudgedFigure.parse(text) }

    private

    def in_english(name, fact)
      case name
      when :why then self.class.parse(fact).english
      when *self.class::LISTS then figures(name).map(&:english).join(", ")
      else fact
      end
    end

    def escaped(value)
      value.b.gsub(/[\x00-\x20%]/n) { |char| format("%%%02x", char.ord) }.force_encoding(Encoding::UTF_8)
    end
  end

  # A figure that an experiment judged. `name`: of its metric; `change` and `interval`: as tables in English
  # have them. The smallest change that it would have shown has no interval
  ChangeReason::JudgedFigure = Data.define(:name, :change, :interval) do
    # @param text [String] of to_s
    # @return [JudgedFigure]
    def self.parse(text)
      name, change, interval = text.split(",", 3)
      new(name:, change:, interval:)
    end

    def initialize(name:, change:, interval: nil) = super

    def to_s = to_h.values.compact.join(",")

    # @return [Array<String>] both ends of the interval
    def bounds = interval.partition("..").values_at(0, 2)

    # @return [String]
    def english
      figure = Holdup::ChangeReason::FIGURES.fetch(name.to_sym, name)
      interval ? "#{figure} #{change} (#{interval})" : "#{figure} #{change}"
    end
  end

  # Facts that are Arrays of JudgedFigure.
  ChangeReason::LISTS = %i[moved visible].freeze
  # Their names, which the locale `en` has, too.
  ChangeReason::FIGURES = {
    wall_p95: "elapsed p95",
    wait_mean: "queued + GVL wait, mean",
    response_p95: "queued + elapsed p95",
    response_mean: "queued + elapsed, mean",
    cpu_unit: "CPU per request or job",
    pool_wait: "connection wait",
    errors: "errors"
  }.freeze
  ChangeReason::WRITTEN = /\A@(?<key>[a-z_]+)(?<facts>(?: [a-z_]+=\S*)*)\z/
  ChangeReason::ESCAPED = /%(\h\h)/
  # What the locale `en` has, too; no locale is loaded in the application.
  ChangeReason::ENGLISH = {
    off: "off",
    no_process: "no process",
    several_configured: "several configured",
    other_lever: "config.autopilot names another setting now",
    frozen: "frozen",
    frozen_by: "operator %{by}: frozen",
    worker: "worker %{pid}: %{why}",
    configured: "%{threads} are configured now",
    limits: "config.autopilot allows %{threads}",
    collector_away: "the collector was away",
    deploy: "deploy",
    not_judged: "it could not be judged",
    judged_better: "Better: %{moved}.",
    judged_worse: "Worse: %{moved}.",
    judged_both: "Better and worse: %{moved}.",
    judged_none: "No difference could be shown. The smallest that this experiment would have shown: " \
      "%{visible}.",
    judged_deploy: "Invalid: the processes of one arm had several revisions (%{revisions}).",
    judged_too_little: "Invalid: too little traffic. There were %{blocks} blocks with both arms, and " \
      "%{control} and %{candidate} requests.",
    judged_unequal: "Invalid: processes with the same setting differ (%{moved}).",
    judged_unchecked: "Invalid: fewer than %{least} blocks of the A/A phase were measured.",
    judged_drift: "Invalid: the difference between the arms changed during the experiment by more than " \
      "its size.",
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
