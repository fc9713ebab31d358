# frozen_string_literal: true

module Holdup
  module ConfigurationKeys
    # How a setting's value is read from the environment and checked. Each has `expected` (words that follow
    # "give"), `parse` (a String of the environment, nil when it makes no sense) and `valid?`.
    module Types
      Boolean = Data.define do
        def expected = "true or false"

        def parse(text)
          {"1" => true, "true" => true, "yes" => true, "on" => true, "0" => false, "false" => false,
           "no" => false, "off" => false}[text.downcase]
        end

        def valid?(value)
          value == true || value == false
        end
      end

      Whole = Data.define(:range) do
        def expected
          "a whole number from #{range.begin} to #{range.end}"
        end

        def parse(text)
          Integer(text, 10, exception: false)
        end

        def valid?(value)
          value.is_a?(Integer) && range.cover?(value)
        end
      end

      Seconds = Data.define(:range) do
        def expected
          "a number of seconds from #{range.begin} to #{range.end}"
        end

        def parse(text) = Float(text, exception: false)

        def valid?(value)
          value.is_a?(Numeric) && value.real? && range.cover?(value)
        end
      end

      Text = Data.define(:longest) do
        def initialize(longest: 1000) = super

        def expected
          "a text of 1 to #{longest} characters"
        end

        def parse(text) = text

        def valid?(value)
          value.is_a?(String) && value.size.between?(1, longest) && !value.include?("\0")
        end
      end

      Folder = Data.define do
        def expected
          "an absolute path of a folder, such as /dev/shm/holdup"
        end

        def parse(text) = text

        def valid?(value)
          value.is_a?(String) && value.start_with?("/") && !value.include?("\0")
        end
      end

      # Paths to leave out: text is the whole path, or its start when it ends in "*".
      Paths = Data.define do
        def expected
          'paths such as "/up" or "/assets/*" (in the environment with commas between; in Ruby an array, which may hold Regexps)'
        end

        def parse(text)
          text.split(",").map(&:strip).reject(&:empty?)
        end

        def valid?(value)
          value.is_a?(Array) && value.all? { |path| path.is_a?(Regexp) || (path.is_a?(String) && path.start_with?("/")) }
        end
      end

      Header = Data.define do
        def expected
          'a header\'s name, such as "X-Request-Start"'
        end

        def parse(text) = text

        def valid?(value)
          value.is_a?(String) && value.match?(/\A[A-Za-z0-9_-]{1,100}\z/)
        end
      end

      Choice = Data.define(:choices) do
        def expected
          "one of #{choices.join(", ")}"
        end

        def parse(text)
          choices.find { |choice| choice.to_s == text.downcase }
        end

        def valid?(value) = choices.include?(value)
      end

      # YJIT: on, off, or on with options. `after: :boot` is the only moment there is, said by those who like
      # it said.
      Jit = Data.define do
        def expected
          ":on, :off, or {after: :boot, mem_size: 64, call_threshold: 31, stats: :quiet, stats_share: 0.1} (mem_size: 1 to 2048 MiB, " \
            "stats_share: above 0 to 1; in the environment mem_size=64)"
        end

        def parse(text)
          return text.downcase.to_sym if %w[on off].include?(text.downcase)
          pairs = text.scan(/(mem_size|call_threshold|stats|stats_share)=([\w.]+)/)
          if pairs.any? && pairs.map { |pair| pair.join("=") }.join(",") == text
            pairs.to_h { |name, given| [name.to_sym, read(name, given)] }
          end
        end

        def valid?(value)
          value == :on || value == :off || (value.is_a?(Hash) && value.all? { |name, given|
            option?(name,
              given)
          })
        end

        private

        def read(name, text)
          case name
          when "stats" then text.to_sym
          when "stats_share" then Float(text, exception: false)
          else Integer(text, 10, exception: false)
          end
        end

        def option?(name, given)
          case name
          when :after then given == :boot
          when :stats then given == :quiet
          when :stats_share then Seconds.new(0..1).valid?(given) && given.positive?
          when :mem_size then given.is_a?(Integer) && given.between?(1, 2048)
          when :call_threshold then given.is_a?(Integer) && given.positive?
          end
        end
      end

      Code = Data.define do
        def expected
          "something that answers call(env), such as ->(env) { env[\"HTTP_X_UNIT\"] }"
        end

        def parse(_text) = nil

        def valid?(value) = value.respond_to?(:call)
      end

      Target = Data.define do
        def expected
          "an IO, a Logger, or in the environment stderr or off"
        end

        def parse(text)
          {"stderr" => $stderr, "off" => IO::NULL}[text.downcase]
        end

        def valid?(value)
          value.respond_to?(:write) || value.respond_to?(:warn) || value == IO::NULL
        end
      end
    end
  end
end
