# frozen_string_literal: true

require_relative "types"

module Holdup
  module ConfigurationKeys
    module Types
      # Lines of statistics: where they go, or that with how often and how many of them.
      StatsLog = Data.define do
        def expected
          ":stdout, :stderr, an absolute path, a Logger, :off, or {to: :stdout, every: 60, format: :json or :emf, sample: 1.0, workers: 1, " \
            'namespace: "Holdup"} (every: 1 to 86400 s, sample: above 0 to 1; in the environment to=stdout,every=60,format=emf)'
        end

        # @return [Object, nil] nil when it makes no sense
        def parse(text)
          return target(text) if text.start_with?("/") || !text.include?("=")
          pairs = text.split(",").map { |pair| pair.split("=", 2) }
          read = pairs.to_h { |name, given| [name.to_sym, option(name, given.to_s)] }
          read unless read.value?(nil) || read.size < pairs.size
        end

        def valid?(value)
          value == :off || (value.is_a?(Hash) ? value.all? { |name, given|
            option?(name,
              given)
          } : target?(value))
        end

        private

        def target(text)
          %w[stdout stderr off].include?(text.downcase) ? text.downcase.to_sym : text
        end

        def target?(value)
          return value.start_with?("/") && !value.include?("\0") if value.is_a?(String)
          value == :stdout || value == :stderr || value.respond_to?(:info) || value.respond_to?(:write)
        end

        def option(name, text)
          case name
          when "to" then target(text)
          when "every", "sample" then Float(text, exception: false)
          when "workers" then Integer(text, 10, exception: false)
          when "format" then text.downcase.to_sym
          when "namespace" then text
          end
        end

        def option?(name, given)
          case name
          when :to then target?(given)
          when :every then Seconds.new(1..86_400).valid?(given)
          when :sample then Seconds.new(0..1).valid?(given) && given.positive?
          when :workers then Whole.new(1..10_000).valid?(given)
          when :format then %i[json emf].include?(given)
          when :namespace then given.is_a?(String) && given.match?(%r{\A[\w./#:-]{1,255}\z}) && !given.start_with?(
            "AWS/", ":"
          )
          end
        end
      end
    end
  end
end
