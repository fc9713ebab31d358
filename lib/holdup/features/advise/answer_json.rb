# frozen_string_literal: true

require "json"

module Holdup
  module Advise
    # An AdviceAnswer as JSON, and back, exactly. A value is an object with one key, its class, and its
    # members; a symbol is {":": name}, a hash {"{": pairs}, a range {"..": ends}.
    #
    # What a store has is not trusted: only these values are made of it, and only queries that rules write.
    module AnswerJson
      # A text of another version can't be read.
      VERSION = 3
      VALUES = [
        AdviceAnswer, AdviceAnswer::MeasuredLoad, Rules::Finding, Rules::Finding::ProposedChange, Series,
        Analysis::CpuShortage::ShortageFigures, Sizing::AdviceResult, Sizing::AdviceResult::PoolSides,
        Sizing::AdviceResult::RecordingFacts, Sizing::BacklogCompletion::BacklogAnswer,
        Sizing::BacklogCompletion::CompletionTime, Sizing::BacklogCompletion::QueueWait,
        Analysis::BootSpread::SpreadEstimate, Sizing::Candidate, Sizing::CheapestFleet::DefaultSetting,
        Sizing::CheapestFleet::FleetComparison, Sizing::CheapestFleet::FleetOffer,
        Sizing::CheapestFleet::FleetPrices, Sizing::ClosedLoad::ThinkingUsers,
        Sizing::CoherencyEstimator::IntervalEstimate, Sizing::Dominance::ComparedSetting,
        Sizing::Dominance::DominanceResult, Sizing::Dominance::EnoughThreads, Sizing::Forecast::Prediction,
        Sizing::Guards::Violation,
        Sizing::JobDeadlines::DeadlineNeeds, Sizing::JobDeadlines::QueueNeed, Sizing::Objective,
        Sizing::PoolThroughput, Sizing::PredictionBias::BiasCorrection, Sizing::ResourceLimits,
        Sizing::ResourceLimits::OtherCpus, Sizing::SelfTest::ErrorCauses::FoundCauses,
        Sizing::SelfTest::MeasuredFigures, Sizing::SelfTest::PeakContradiction,
        Sizing::SelfTest::SelfTestResult, Sizing::Slo, Sizing::Sufficiency::SufficiencyResult,
        Sizing::WidenedGain
      ].to_h { |kind| [kind.name[/\w+\z/], kind] }.freeze
      # Options and their values, quoted where they are not plain: readers paste it into a shell.
      ARGUMENT = %r{ --[a-z-]+| [\w=:./@][\w=:./@-]*| '(?:[^'\n]|'\\'')*'}
      QUERY = /\A(?:advise|doctor|report|whatif)(?:#{ARGUMENT})*\z/
      HASH = "{"
      SYMBOL = ":"
      RANGE = ".."
      private_constant :ARGUMENT, :QUERY, :HASH, :SYMBOL, :RANGE

      module_function

      # @param answer [AdviceAnswer]
      # @return [String]
      # @raise [ArgumentError] it has a value of another class
      def dump(answer)
        JSON.generate({"version" => VERSION, "answer" => plain(answer)}, allow_nan: true)
      end

      # @return [AdviceAnswer]
      # @raise [DamagedData] for anything that `dump` does not write
      def load(text)
        document = JSON.parse(text, allow_nan: true)
        raise DamagedData, "it is of another version" unless document.fetch("version") == VERSION
        answer = value(document.fetch("answer"))
        answer.is_a?(AdviceAnswer) ? answer : raise(DamagedData, "it is no advice")
      rescue JSON::ParserError, KeyError, ArgumentError, NoMethodError, TypeError => error
        raise DamagedData, "an advice can't be read (#{error.message[0, 100]})"
      end

      def plain(value)
        case value
        when nil, true, false, String, Integer, Float then value
        when Symbol then {SYMBOL => value.name}
        when Range then {RANGE => value.minmax.map { |bound| plain(bound) }}
        when Array then value.map { |item| plain(item) }
        when Hash then {HASH => value.map { |pair| plain(pair) }}
        else {name(value) => value.to_h.to_h { |member, part| [member.name, plain(part)] }}
        end
      end

      def name(value)
        VALUES.key(value.class) || raise(ArgumentError, "#{value.class} can't be kept")
      end

      def value(plain)
        case plain
        when Array then plain.map { |item| value(item) }.freeze
        when Hash then object(*plain.first)
        else plain
        end
      end

      def object(name, parts)
        case name
        when SYMBOL then parts.to_sym
        when HASH then parts.to_h { |pair| value(pair) }.freeze
        when RANGE then Range.new(*value(parts))
        else checked(VALUES.fetch(name).new(**parts.to_h { |member, part| [member.to_sym, value(part)] }))
        end
      end

      def checked(value)
        query = value.facts[:query] if value.is_a?(Rules::Finding)
        return value if query.nil? || query.match?(QUERY)
        raise ArgumentError, "a query that no rule writes"
      end
      private_class_method :plain, :name, :value, :object, :checked
    end
  end
end
