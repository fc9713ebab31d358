# frozen_string_literal: true

require "etc"

module Holdup
  module Notify
    # What the collector runs after its rounds: looks whether somebody should be told of something, and tells
    # it. Of a fleet's collectors the one tells it whose notice the store has.
    class SendCommand
      # @param outbox_file [OutboxFile]
      # @param channels [Hash{Symbol => #call}] see Channels
      # @param open_store [#call] yields a store to write
      # @param by [String] this host and process
      # @param local [Time] by the collector's clock, for quiet hours and the digest
      def initialize(configuration, channels:, outbox_file:, open_store:, words:, now_s:,
        local: Time.at(now_s), by: "#{Etc.uname[:nodename]} #{Process.pid}")
        @configuration = configuration
        @plan = configuration.notify_plan
        @channels = channels
        @outbox_file = outbox_file
        @open_store = open_store
        @words = words
        @now_s = now_s
        @local = local
        @by = by
        @sentences = NoticeSentences.new(words:, web_url: configuration.web_url)
      end

      # @return [Array<Hash>] of each attempt: channel, title, key, detail
      def call
        @outbox = @outbox_file.read.only(@channels.keys)
        look
        @outbox_file.write(@outbox) # first: what a killed process has sent is sent again, and not lost
        attempts = deliver
        @outbox_file.write(@outbox)
        digest_due? ? [*attempts, *send_digest] : attempts
      end

      private

      # A store that is down can't say who tells it: each host does.
      def look
        @open_store.call { |store| tell(store) }
        tell_of_store(nil)
      rescue StoreError => error
        tell_of_store(NoticeRules::NoticeFinding.new(rule: :store, facts: {reason: error.message}))
      end

      def tell(store)
        slo = @configuration.scaling_goal&.slo
        watched = FactsReader.new(store, plan: @plan, slo:, now_s: @now_s, words: @words,
          compared: @outbox.compared).call
        @outbox = @outbox.with(compared: watched.revisions)
        @told = watched.told
        findings = NoticeRules.call(watched, @plan)
        due(watched.told, @plan.rules - [:store]).call(findings).each do |notice|
          next unless mine?(store, notice)
          report = findings.find { |finding| finding.rule.name == notice.rule }&.text
          send_later(notice, report)
        end
      end

      def tell_of_store(finding)
        due(@outbox.notices, @plan.rules & [:store]).call([*finding]).each do |notice|
          @outbox = @outbox.with_notice(notice)
          send_later(notice, nil)
        end
      end

      def due(told, rules)
        minute = 60 * @local.hour + @local.min
        DueNotices.new(told, plan: @plan.with(rules:), now_s: @now_s, minute:, by: @by)
      end

      # Nobody knows where the store can't be read.
      def digest_due?
        return false unless @told && @plan.rules.include?(:digest) && digest_channels.any?
        return false if due(@told, []).quiet?
        DigestSchedule.parse(@plan.digest).due?(@told, now_s: @now_s, local: @local,
          tried_s: @outbox.digest_s)
      end

      # It is neither an incident nor an error of the application.
      def digest_channels = @channels.keys - %i[pagerduty rails_error]

      # After all others, because it takes longest: a host that fails at it tries again after an hour.
      def send_digest
        @outbox = @outbox.with(digest_s: @now_s)
        @outbox_file.write(@outbox)
        @open_store.call { |store| tell_digest(store) }
        attempts = deliver
        @outbox_file.write(@outbox)
        attempts
      rescue StoreError
        []
      end

      # A store that is younger than a day has nothing to say of a week.
      def tell_digest(store)
        return if @now_s - store.extent.fetch(0, @now_s) < DAY_S
        week = DigestReader.new(store, configuration: @configuration, words: @words, now_s: @now_s).call
        return unless week
        notice = DigestSchedule.notice(@told, week, by: @by)
        return unless mine?(store, notice)
        message = WeeklyDigest.new(week, words: @words).message(notice, web_url: @configuration.web_url)
        @outbox = @outbox.with_message(message, digest_channels, @now_s)
      end

      def mine?(store, notice)
        store.commit([], {}, notices: [notice])
        kept = store.notices(@now_s - DAY_S, @now_s + DAY_S).find { |one| one.source == notice.source }
        kept&.by == @by
      end

      def send_later(notice, report)
        return if notice.state == :noted
        message = @sentences.call(notice, report:)
        @outbox = @outbox.with_message(message, @channels.keys, @now_s)
      end

      # A channel that fails gets nothing more in this run: each attempt may take seconds.
      def deliver
        @failed ||= []
        @outbox.due(@now_s).filter_map do |one|
          next if @failed.include?(one.channel)
          delivery = @channels.fetch(one.channel).call(one.message)
          @failed << one.channel if delivery.again
          @outbox = @outbox.after(one, delivery, @now_s)
          {channel: one.channel, title: one.message.title, key: delivery.key, detail: delivery.detail}
        end
      end

      # The file next to the segments.
      class OutboxFile
        NAME = "notify.json"
        MOST_BYTES = 1_000_000

        # @param folder [String] of the segments
        def initialize(folder)
          @path = File.join(folder, NAME)
        end

        # @return [Outbox] an empty one without a file
        def read
          flags = File::RDONLY | File::NOFOLLOW
          Outbox.parse(File.open(@path, flags) { |file| file.read(MOST_BYTES) })
        rescue SystemCallError
          Outbox.new
        end

        # Readers see the old text or the new one.
        # @raise [SystemCallError]
        def write(outbox)
          whole = "#{@path}.#{Process.pid}"
          File.write(whole, outbox.to_json, perm: 0o600)
          File.rename(whole, @path)
        end
      end
    end
  end
end
