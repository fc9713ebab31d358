# frozen_string_literal: true

require "json"

module Holdup
  module Notify
    # Who is told of what, what was told last, whether the channels work, and the digest of the week.
    class Command
      SCHEMA = 1
      # Notices that the status lists.
      SHOWN = 10

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup notify [options]", [
        Queries::Option.switch("--test", "send one message to each channel"),
        Queries::Option.switch("--digest", "the digest of seven days; with --send: send it now"),
        Queries::Option.switch("--send", "what the collector runs: tell what is due", key: :now),
        CLI::Options::STORE,
        CLI::Options::DIR,
        *CLI::Formats.options(%i[text json markdown html]),
        CLI::Options::OUT,
        CLI::Options::LANGUAGE
      ])

      # @param test [Boolean] whether each channel gets a message
      # @param digest [Boolean] whether the digest is printed, or with `now` sent
      # @param now [Boolean] whether what is due is told
      # @param store [String, nil] URL or path; nil: where the collector keeps it
      # @param dir [String, nil] folder of the segments
      # @raise [UsageError]
      def initialize(console:, test: false, now: false, digest: false, store: nil, dir: nil, format: :text,
        out: nil, language: nil)
        @console = console
        @test = test
        @now = now
        @digest = digest
        @store = store
        @dir = dir
        @format = format
        @words = View::Words.new(language || CLI::Places.language(console.env))
        @configuration = Configuration.build(env: Configuration.readable(console.env))
        @plan = @configuration.notify_plan
        @lines = []
        refuse_combinations
        @destination = CLI::Formats::Destination.new(console, file: out, format:)
      end

      # @return [Integer] exit status: 1 when a channel did not take the test or the digest
      # @raise [UsageError] there is no channel to send to
      def run
        return @digest ? show(digest.page) : status unless @test || @now
        unless @plan
          raise UsageError.new("nobody is told, because no channel is set",
            "set HOLDUP_NOTIFY=slack=https://... (`holdup docs notify`)")
        end
        return send_all(digest_message) if @digest
        @test ? send_all(sentences.test(now_s)) : send_due
      end

      private

      def word(key, **facts) = @words.call(:"notify_#{key}", **facts)

      def now_s = @console.clock.realtime_s

      def channels = @channels ||= Channels.of(@plan, log: ->(line) { @lines << line })

      def sentences
        @sentences ||= NoticeSentences.new(words: @words, web_url: @configuration.web_url)
      end

      # @raise [UsageError]
      def refuse_combinations
        if @test && (@now || @digest)
          other = @now ? "--send" : "--digest"
          raise UsageError.new("--test and #{other} can't be combined", "leave out one of them")
        end
        return unless @digest && @format == :json
        raise UsageError.new("--digest can't be printed as JSON",
          "take --markdown or --html, or a webhook, which gets text and HTML in JSON")
      end

      # @return [WeeklyDigest]
      # @raise [UsageError] nothing was recorded
      def digest
        week = CLI::Places.reading(@console.env, @store) do |store|
          DigestReader.new(store, configuration: @configuration, words: @words, now_s:).call
        end
        unless week
          raise UsageError.new("nothing was recorded in the last seven days", "`holdup doctor` says why")
        end
        WeeklyDigest.new(week, words: @words)
      end

      # The collector's own digest comes all the same.
      def digest_message
        notice = Notice.new(source: "digest by hand #{now_s}", rule: "digest", state: :began, at_s: now_s,
          by: "")
        digest.message(notice, web_url: @configuration.web_url)
      end

      def send_all(message)
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
        show(page)
      end

      def show(page)
        @destination.write(CLI::Formats.render(page, format: @format, console: @console, words: @words))
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
        texts << word(:digest_at, at: digest_at) if @plan.rules.include?(:digest)
        texts << word(:quiet, hours: @plan.quiet) if @plan.quiet
        @words.sentences(texts)
      end

      def digest_at
        day, clock = @plan.digest.split
        [word(:"day_#{day}"), clock].join(" ")
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
         stall: @plan&.stall, quiet: @plan&.quiet, digest: @plan&.digest, waiting: outbox.waiting.size,
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
