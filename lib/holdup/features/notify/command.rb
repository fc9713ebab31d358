# frozen_string_literal: true

require "json"

module Holdup
  module Notify
    # Who is told of what, what was told last, and whether the channels work.
    class Command
      SCHEMA = 1
      # Notices that the status lists.
      SHOWN = 10

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup notify [options]", [
        Queries::Option.switch("--test", "send one message to each channel"),
        Queries::Option.switch("--send", "what the collector runs: tell what is due", key: :now),
        CLI::Options::STORE,
        CLI::Options::DIR,
        *CLI::Formats.options(%i[text json]),
        CLI::Options::LANGUAGE
      ])

      # @param test [Boolean] whether each channel gets a message
      # @param now [Boolean] whether what is due is told
      # @param store [String, nil] URL or path; nil: where the collector keeps it
      # @param dir [String, nil] folder of the segments
      # @raise [UsageError]
      def initialize(console:, test: false, now: false, store: nil, dir: nil, format: :text, language: nil)
        @console = console
        @test = test
        @now = now
        @store = store
        @dir = dir
        @format = format
        @words = View::Words.new(language || CLI::Places.language(console.env))
        @configuration = Configuration.build(env: Configuration.readable(console.env))
        @plan = @configuration.notify_plan
        @lines = []
        return unless test && now
        raise UsageError.new("--test and --send can't be combined", "leave out one of them")
      end

      # @return [Integer] exit status: 1 when a channel did not take the test
      # @raise [UsageError] there is no channel to send to
      def run
        return status unless @test || @now
        unless @plan
          raise UsageError.new("nobody is told, because no channel is set",
            "set HOLDUP_NOTIFY=slack=https://... (`holdup docs notify`)")
        end
        @test ? test : send_due
      end

      private

      def word(key, **facts) = @words.call(:"notify_#{key}", **facts)

      def now_s = @console.clock.realtime_s

      def channels = @channels ||= Channels.of(@plan, log: ->(line) { @lines << line })

      def sentences
        @sentences ||= NoticeSentences.new(words: @words, web_url: @configuration.web_url)
      end

      def test
        message = sentences.test(now_s)
        answers = channels.map { |kind, channel| [kind, channel.call(message)] }
        answers.each { |kind, answer| puts(outcome(kind, answer.to_h)) }
        @lines.each { |line| puts(line) }
        taken = answers.all? { |_, answer| answer.sent? }
        taken ? CLI::OK : CLI::FAILED
      end

      def outcome(...) = sentences.outcome(...)

      # For the collector, which has the log.
      def send_due
        attempts = SendCommand.new(@configuration, channels:, outbox_file:, words: @words, now_s:,
          open_store: ->(&block) { CLI::Places.writing(@console.env, @store, &block) }).call
        failures = attempts.reject { |one| one[:key] == :sent }
        print_json(schema: SCHEMA, sent: attempts.size - failures.size, lines: @lines,
          failures: failures.map { |one| outcome(one[:channel], one) }.uniq)
        CLI::OK
      end

      def outbox_file = SendCommand::OutboxFile.new(CLI::Places.directory(@console.env, @dir))

      # @return [Array<Notice>, nil] nil: the store can't be read
      def told
        return @told if defined?(@told)
        found = CLI::Places.reading(@console.env, @store) { |store| store.notices(0, now_s + 1) }
        @told = found.reject { |notice| notice.state == :noted }.last(SHOWN).reverse
      rescue StoreError
        @told = nil
      end

      def status
        return print_json(facts).then { CLI::OK } if @format == :json
        View::Text.new(page, **@console.layout).call.then { |text| @console.show(text) }
        CLI::OK
      end

      def page
        View::Page.new(title: word(:title), blocks: [View::Blocks::Lead.new(text: lead), *table, *outcomes])
      end

      def lead
        return word(:off) unless @plan
        rules = @plan.rules.map { |rule| word(:"title_#{rule}") }
        names = @plan.channels.keys.map { |kind| word(:"channel_#{kind}") }
        texts = [word(:on, channels: @words.list(names), rules: @words.list(rules))]
        texts << word(:limit, share: View::Figures.share(@plan.stall)) if @plan.rules.include?(:stall)
        texts << word(:quiet, hours: @plan.quiet) if @plan.quiet
        @words.sentences(texts)
      end

      def table
        return [View::Blocks::Notes.new(texts: [word(:store_unknown)])] if told.nil?
        return [View::Blocks::Notes.new(texts: [word(:none)])] if told.empty?
        columns = [word(:at), View::Blocks::Column.new(text: word(:told), words: true)]
        rows = told.map { |notice| [View::Blocks::Moment.new(at_s: notice.at_s), sentences.sentence(notice)] }
        [View::Section.new(title: word(:last), columns:, rows:)]
      end

      # Of this host.
      def outcomes
        outbox = outbox_file.read
        texts = outbox.sent.last(SHOWN).reverse.map do |one|
          word(:attempt, at: View::Figures::Moments.at(one[:at_s]), title: one[:title],
            outcome: outcome(one[:channel], one))
        end
        texts.unshift(word(:waiting, count: outbox.waiting.size)) if outbox.waiting.any?
        texts.empty? ? [] : [View::Blocks::Notes.new(texts:)]
      end

      def facts
        outbox = outbox_file.read
        {schema: SCHEMA, rules: @plan&.rules.to_a, channels: @plan ? @plan.channels.keys : [],
         stall: @plan&.stall, quiet: @plan&.quiet, waiting: outbox.waiting.size,
         notices: told&.map { |notice| notice_facts(notice) },
         attempts: outbox.sent.map { |one| {at: iso(one[:at_s]), text: outcome(one[:channel], one)} }}
      end

      def notice_facts(notice)
        {at: iso(notice.at_s), rule: notice.rule, state: notice.state, text: sentences.sentence(notice)}
      end

      def iso(second) = Time.at(second).utc.strftime("%FT%TZ")

      def puts(text) = @console.out.puts(View::Width.clean(text))

      def print_json(facts) = @console.out.write("#{JSON.pretty_generate(facts)}\n")
    end
  end
end
