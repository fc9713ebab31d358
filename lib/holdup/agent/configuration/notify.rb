# frozen_string_literal: true

require_relative "types"

module Holdup
  module ConfigurationKeys
    # What `config.notify` asks for: who is told of what, and when.
    #
    # - `channels`: {kind => URL, path, true or what is called}, see CHANNELS
    # - `rules`: Array of Symbols, of RULES
    # - `stall`: share of the elapsed time that requests and jobs may wait for the GVL
    # - `quiet`: "22:00-07:00", times of the collector's clock in which nothing is sent; nil: none
    # - `digest`: "monday 09:00", when the digest of the week is sent, by the same clock
    NotifyPlan = Data.define(:channels, :rules, :stall, :quiet, :digest) do
      def initialize(channels:, rules: self.class::RULES, stall: self.class::STALL, quiet: nil,
        digest: self.class::DIGEST)
        super(channels:, rules: rules.map(&:to_sym), stall:, quiet:, digest:)
      end

      # @param value [Hash, Symbol, nil] a valid value of the setting
      # @return [NotifyPlan, nil] nil: off
      def self.from(value)
        return unless value.is_a?(Hash)
        channels = value.slice(*self::CHANNELS).select { |_, target| target }
        new(channels:, **value.except(*self::CHANNELS)) unless channels.empty?
      end

      # HOLDUP_NOTIFY gives this text to a collector, which has no other way to know what the application's
      # code set.
      def to_s
        facts = {**channels, rules: rules.join(" "), stall:, quiet:, digest:}.compact
        facts.map { |name, value| "#{name}=#{value}" }.join(",")
      end

      # @return [NotifyPlan, nil] what a collector in a process of its own can do; nil: nothing
      def of_process
        others = channels.except(*self.class::IN_APP)
        with(channels: others) unless others.empty?
      end

      # What is printed by accident must not have addresses: whoever knows one can write there.
      def inspect = "#<#{self.class.name} #{channels.keys.join(" ")}>"
    end

    # Those that get an HTTP request, each in the format of its receiver; then a program, and the log; at last
    # those that call the application's code, which only a collector in a thread of the application can.
    NotifyPlan::WEBHOOKS = %i[webhook slack teams discord pagerduty].freeze
    NotifyPlan::IN_APP = %i[rails_error block].freeze
    NotifyPlan::CHANNELS = [*NotifyPlan::WEBHOOKS, :command, :log, *NotifyPlan::IN_APP].freeze
    NotifyPlan::RULES = %i[stall verdict deaths slo revision autopilot collector store digest].freeze
    NotifyPlan::STALL = 0.25
    NotifyPlan::DIGEST = "monday 09:00"

    module Types
      # Channels, rules and limits of notices, as a Hash or as pairs.
      Notify = Data.define do
        def expected
          '{slack: "https://hooks.slack.com/services/..."} or :off (channels: webhook, slack, teams, ' \
            "discord and pagerduty with a URL, without spaces and commas; command with an absolute path; " \
            "log: true; with config.collector = :thread also rails_error: true, and block: with what takes " \
            "the message; further rules: %i[stall verdict deaths slo revision autopilot collector store " \
            'digest], stall: 0.01 to 1, quiet: "22:00-07:00", digest: "monday 09:00"; in the environment ' \
            "slack=https://...,stall=0.3,rules=stall deaths, or off)"
        end

        # A text that can't be read may have a part of an address.
        def parse(text)
          return :off if text.strip.downcase == "off"
          pairs = text.split(",").map { |pair| pair.split("=", 2) }
          read = pairs.to_h { |name, given| [name.to_s.to_sym, option(name.to_s, given.to_s)] }
          (read.empty? || read.value?(nil) || read.size < pairs.size) ? :unreadable : read
        end

        # What messages show of a wrong value: the rest may have an address.
        def masked(value)
          value.is_a?(Symbol) ? value : value.class
        end

        def valid?(value)
          return value == :off unless value.is_a?(Hash)
          value.keys.intersect?(NotifyPlan::CHANNELS) && value.all? { |name, given| option?(name, given) }
        end

        private

        def option(name, text)
          case name
          when "log", "rails_error" then Boolean.new.parse(text)
          when "stall" then Float(text, exception: false)
          when "rules" then text.split.map(&:to_sym)
          when "quiet", "digest", *self.class::TEXTS then text
          end
        end

        def option?(name, given)
          case name
          when *NotifyPlan::WEBHOOKS then given.is_a?(String) && given.match?(self.class::URL)
          when :command then given.is_a?(String) && given.match?(self.class::PATH)
          when :log, :rails_error then Boolean.new.valid?(given)
          when :block then given.respond_to?(:call)
          when :stall then given.is_a?(Numeric) && given.real? && given.between?(0.01, 1)
          when :rules then Subset.new(NotifyPlan::RULES).valid?(given)
          when :quiet then given.is_a?(String) && given.match?(self.class::QUIET)
          when :digest then given.is_a?(String) && given.match?(self.class::DIGEST)
          end
        end
      end

      Notify::TEXTS = [*NotifyPlan::WEBHOOKS, :command].map(&:name).freeze
      Notify::URL = %r{\Ahttps?://[^\s,]{1,1000}\z}
      Notify::PATH = %r{\A/[^\0,\n]{1,1000}\z}
      hour = /(?:[01]\d|2[0-3]):[0-5]\d/
      Notify::QUIET = /\A#{hour}-#{hour}\z/
      Notify::DIGEST = /\A(?:sun|mon|tues|wednes|thurs|fri|satur)day #{hour}\z/

      # Where the dashboard is.
      WebUrl = Data.define do
        def expected = "a URL such as https://shop.example/holdup"

        def parse(text) = text

        def valid?(value)
          value.is_a?(String) && value.match?(%r{\Ahttps?://[^\s?#]{1,1000}\z})
        end
      end
    end
  end
end
