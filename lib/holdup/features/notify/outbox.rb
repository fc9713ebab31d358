# frozen_string_literal: true

require "json"

module Holdup
  module Notify
    # What a host still has to send, how the last messages went, what it said of its store (the store can't
    # keep that while it is down), and how revisions compare, which takes long to compute. It is kept as JSON
    # next to the segments.
    #
    # - `waiting`: Array of WaitingMessage; `sent`: Array of Hash, the latest last: at_s, channel, title, key,
    #   detail; `notices`: Array of Notice that the store does not have; `compared`: Array of RevisionFacts
    # - `digest_s`: when this host last began to make a digest, or nil
    Outbox = Data.define(:waiting, :sent, :notices, :compared, :digest_s) do
      def initialize(waiting: [], sent: [], notices: [], compared: [], digest_s: nil) = super

      # @param text [String, nil] of to_json
      # @return [Outbox] an empty one for anything else
      def self.parse(text)
        read = JSON.parse(text.to_s, symbolize_names: true)
        waiting = read.fetch(:waiting).map { |facts| self::WaitingMessage.load(facts) }
        sent = read.fetch(:sent).map { |facts| {**facts, key: facts.fetch(:key).to_sym} }
        notices = read.fetch(:notices).map { |facts| Notice.new(**facts) }
        compared = read.fetch(:compared, []).map { |facts| RevisionFacts.load(facts) }
        new(waiting:, sent:, notices:, compared:, digest_s: read[:digest_s]&.then { |at_s| Integer(at_s) })
      rescue JSON::ParserError, KeyError, ArgumentError, TypeError, NoMethodError
        new
      end

      def to_json(*)
        JSON.generate(waiting: waiting.map { |one| {**one.to_h, message: one.message.to_h} }, sent:,
          notices: notices.map(&:to_h), compared: compared.map(&:to_h), digest_s:)
      end

      # @param channels [Array<Symbol>]
      def with_message(message, channels, now_s)
        fresh = channels.map do |channel|
          self.class::WaitingMessage.new(channel:, message:, since_s: now_s, due_s: now_s, attempts: 0)
        end
        with(waiting: (waiting + fresh).last(self.class::MOST_WAITING))
      end

      # @return [Array<WaitingMessage>]
      def due(now_s) = waiting.select { |one| one.due_s <= now_s }

      # @param one [WaitingMessage]
      # @param delivery [Channels::ChannelAnswer]
      # @return [Outbox] after an attempt
      def after(one, delivery, now_s)
        left = waiting - [one]
        left += [one.later(now_s, delivery.after_s)] if delivery.again && !one.given_up?(now_s)
        said = {at_s: now_s, channel: one.channel, title: one.message.title, key: delivery.key,
                detail: delivery.detail}
        with(waiting: left, sent: [*sent, said].last(self.class::MOST_SENT))
      end

      # A channel that is no longer asked for gets nothing.
      def only(channels)
        with(waiting: waiting.select { |one| channels.include?(one.channel) })
      end

      def with_notice(notice) = with(notices: [*notices, notice].last(self.class::MOST_SENT))
    end

    Outbox::MOST_WAITING = 50
    Outbox::MOST_SENT = 20

    # A message that a channel has not taken yet.
    Outbox::WaitingMessage = Data.define(:channel, :message, :since_s, :due_s, :attempts) do
      def self.load(facts)
        message = NoticeMessage.load(facts.fetch(:message))
        new(**facts, channel: facts.fetch(:channel).to_sym, message:)
      end

      # @param after_s [Integer, nil] that the receiver asks for
      def later(now_s, after_s)
        wait_s = [self.class::FIRST_S * 2**attempts, self.class::LONGEST_S].min
        with(attempts: attempts + 1, due_s: now_s + [wait_s, after_s.to_i].max)
      end

      # What nobody could take for so long is no news.
      def given_up?(now_s) = now_s - since_s >= self.class::GIVE_UP_S
    end

    Outbox::WaitingMessage::FIRST_S = 60
    Outbox::WaitingMessage::LONGEST_S = 900
    Outbox::WaitingMessage::GIVE_UP_S = 6 * 3600
  end
end
