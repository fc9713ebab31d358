# frozen_string_literal: true

require "digest"
require "json"
require "zlib"

module Holdup
  module View
    # An advice that was computed before, for all who ask the same: that of a fleet takes many seconds, so a
    # collector keeps it in the store.
    #
    # - `at_s`: when; `took_s`: seconds that it took
    # - `json`: for programs, see JsonAdvice
    # - `screens`: {language => Array of Page} for a terminal, the shortest first
    # - `reports`: {language => AdvicePage}, all of it; `answers`: the same in the words of the dashboard
    KeptAdvice = Data.define(:at_s, :took_s, :json, :screens, :reports, :answers) do
      # @yieldparam form [Class] View::Advice or View::Advice::AdviceScreen
      # @yieldparam words [Words]
      # @yieldreturn [View::Advice] of that class
      def self.of(at_s:, took_s:, json:)
        advice = lambda do |form, page: false|
          Words::LANGUAGES.keys.to_h { |language| [language, yield(form, Words.new(language, page:))] }
        end
        new(at_s:, took_s:, json:,
          screens: advice.call(Advice::AdviceScreen).transform_values { |one| self::Screen.pages_of(one) },
          reports: advice.call(Advice).transform_values { |one| self::AdvicePage.of(one) },
          answers: advice.call(Advice, page: true).transform_values { |one| self::AdvicePage.of(one) })
      end

      # @return [KeptAdvice, nil] nil for an empty text, and for one that `to_s` does not write
      def self.parse(text)
        kept = self::StoredBlocks.load(Zlib.gunzip(text.unpack1("m0")))
        kept if kept.is_a?(self)
      rescue ArgumentError, DamagedData, Zlib::Error
        nil
      end

      # @return [String] ASCII
      def to_s
        [Zlib.gzip(self.class::StoredBlocks.dump(self))].pack("m0")
      end

      # @param options [Hash{String => String}] that each of its commands gets, such as --store
      # @return [Screen]
      def screen(words, now_s:, options: {})
        self.class::Screen.new(screens.fetch(words.language), about: [age(words, now_s)], options:)
      end

      # @return [Page]
      def report(words, now_s:)
        reports.fetch(words.language).page.with(about: [age(words, now_s)])
      end

      # @return [String] how old it is
      def age(words, now_s)
        age, took = [now_s - at_s, took_s].map { |seconds| Figures.rough([seconds, 1].max * 1_000_000_000) }
        words.call(:advice_kept, age:, took:)
      end
    end

    class KeptAdvice
      # In one language. `answer`, `grounds`, `self_test`: see View::Advice
      AdvicePage = Data.define(:title, :answer, :grounds, :self_test) do
        def self.of(advice)
          new(**members.to_h { |part| [part, advice.public_send(part)] })
        end

        def page = Page.new(title:, blocks: answer + grounds)
      end

      # Looks like View::Advice::AdviceScreen.
      class Screen
        # @return [Array<Page>] the shortest first
        def self.pages_of(screen) = (0..screen.spare).map { |kept| screen.page(kept) }

        def initialize(pages, about:, options:)
          @pages = pages
          @about = about
          @options = options
        end

        def spare = @pages.size - 1

        # @return [Page]
        def page(kept = spare)
          page = @pages.fetch(kept)
          page.with(about: @about, blocks: page.blocks.map { |block| with_options(block) })
        end

        private

        def with_options(block)
          return block unless block.is_a?(Blocks::Commands)
          block.with(items: block.items.map { |item| item.with_options(@options) })
        end
      end

      # What an advice is asked. `seconds`: length of its span, which ends now; `facts`: everything else that
      # the answer depends on
      AdviceQuestion = Data.define(:kind, :seconds, :facts) do
        # @param span [Range<Integer>] seconds since 1970
        # @param objective [Sizing::Objective]
        # @param prices [Sizing::CheapestFleet::FleetPrices, nil]
        # @param others [Hash{Symbol => Object}] what else is not as usual; nil is usual
        def self.of(kind:, span:, objective:, prices: nil, factor: 1.0,
          warm_up_s: WARM_UP_S, within_s: Sizing::JobDeadlines::WITHIN_S, **others)
          facts = {objective: objective.name, slo: objective.slo.to_h, prices: prices&.to_h, factor:,
                   warm_up_s:, within_s:, **others}
          new(kind:, seconds: span.end - span.begin, facts: facts.compact.sort.to_h)
        end

        # @return [String] that stores know it by: of this version, since another one may say something else
        def key
          "advice #{kind} #{seconds} #{Digest::SHA256.hexdigest([VERSION, facts].to_json)[0, 16]}"
        end

        # @param now_s [Integer]
        # @return [KeptAdvice, nil] nil if there is none, or it is too old
        def find(store, now_s)
          answer = store.answer(key)
          return unless answer && (now_s - answer.at_s).between?(-MINUTE_S, seconds / MOST_AGE)
          KeptAdvice.parse(answer.text)
        end

        # @return [Integer] second from which on it should be computed again; 0 if it never was
        def due_s(store)
          answer = store.answer(key)
          answer ? next_s(answer.at_s) : 0
        end

        # @param at_s [Integer] when it was computed
        def next_s(at_s) = at_s + seconds / EVERY
      end

      # Parts of a span, after which its advice is computed again, and not shown any more: half an hour and an
      # hour of a day.
      EVERY = 50
      MOST_AGE = 25
      # By so much a clock may be ahead.
      MINUTE_S = 60
    end

    # Pages as text, and back. What a store has is not trusted: only these values are made of it, and only
    # commands of ours.
    module KeptAdvice::StoredBlocks
      VALUES = [Page, Section, Chart, Chart::Axis, Chart::Line, Chart::Point, Chart::Mark,
        AdviceFindings::FindingText, AdviceFindings::Part, KeptAdvice, KeptAdvice::AdvicePage,
        *Blocks.constants.map { |name| Blocks.const_get(name) }.select { |kind| kind < Data }]
        .to_h { |kind| [kind.name.delete_prefix("Holdup::View::"), kind] }.freeze
      # A word of Blocks::ShellCommand.
      COMMAND = %r{\A(?:holdup (?:advise|doctor|report|whatif)|--[a-z-]+)(?: (?:[\w=:./@-]+|'[^'\n]*'))*\z}
      HASH = "{"
      SYMBOL = ":"
      private_constant :COMMAND, :HASH, :SYMBOL

      module_function

      # @return [String] JSON. Objects have one key: the name of the value's class
      # @raise [ArgumentError] for a value of another class
      def dump(value) = JSON.generate(plain(value))

      # @raise [DamagedData] for anything that `dump` does not write
      def load(text)
        value(JSON.parse(text))
      rescue JSON::ParserError, KeyError, ArgumentError, NoMethodError, TypeError => error
        raise DamagedData, "a kept page can't be read (#{error.message[0, 100]})"
      end

      def plain(value)
        case value
        when nil, true, false, String, Integer, Float then value
        when Symbol then {SYMBOL => value.name}
        when Array then value.map { |item| plain(item) }
        when Hash then {HASH => value.map { |pair| plain(pair) }}
        else {name(value) => value.to_h.values.map { |member| plain(member) }}
        end
      end

      def name(value)
        VALUES.key(value.class) || raise(ArgumentError, "#{value.class} can't be kept")
      end

      def value(plain)
        case plain
        when Array then plain.map { |item| value(item) }
        when Hash then object(*plain.first)
        else plain
        end
      end

      def object(name, parts)
        case name
        when SYMBOL then parts.to_sym
        when HASH then parts.to_h { |pair| value(pair) }
        else checked(VALUES.fetch(name).new(*value(parts)))
        end
      end

      def checked(value)
        return value unless value.is_a?(Blocks::ShellCommand)
        value.words.grep_v(COMMAND).empty? ? value : raise(ArgumentError, "a command of another")
      end
      private_class_method :plain, :name, :value, :object, :checked
    end
  end
end
