# frozen_string_literal: true

require_relative "../../capture/rule"

module Holdup
  module ConfigurationKeys
    # Types read a setting's value from the environment and check it. Each has `expected` (words that follow
    # "give"), `parse` (takes text of the environment, nil when invalid) and `valid?`.
    module Types
      Boolean = Data.define do
        def expected = "true or false"

        def choices = %w[true false yes no on off]

        def parse(text)
          case text.downcase
          when "1", "true", "yes", "on" then true
          when "0", "false", "no", "off" then false
          end
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

      # What has a price: an hour of a vCPU and of a GiB.
      PRICED = %i[vcpu gb].freeze
      PriceList = Data.define do
        def expected = "a price of both: {vcpu: 0.04, gb: 0.005} (in the environment vcpu=0.04,gb=0.005)"

        def parse(text)
          pairs = text.split(",").map { |pair| pair.split("=", 2) }
          pairs.to_h { |name, price| [name.to_s.to_sym, Float(price.to_s, exception: false)] }
        end

        def valid?(value)
          return false unless value.is_a?(Hash) && (value.keys - PRICED).empty? && value.size == PRICED.size
          value.values.all? { |price| price?(price) } && value[:vcpu].positive?
        end

        private

        def price?(price)
          price.is_a?(Numeric) && price.real? && price.between?(0, 1_000_000)
        end
      end

      # 0 and nil switch off.
      Milliseconds = Data.define(:range) do
        def expected
          "0, or milliseconds from #{range.begin} to #{range.end}"
        end

        def parse(text)
          (text.downcase == "off") ? 0 : Integer(text, 10, exception: false)
        end

        def valid?(value)
          value.nil? || (value.is_a?(Integer) && (value.zero? || range.cover?(value)))
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

      # Paths to leave out: a whole path, or its start when the text ends in "*".
      Paths = Data.define do
        def expected
          'paths such as "/up" or "/assets/*" ' \
            "(in the environment with commas between; in Ruby an array, which may hold Regexps)"
        end

        def parse(text)
          text.split(",").map(&:strip).reject(&:empty?)
        end

        def valid?(value)
          value.is_a?(Array) && value.all? { |path| path.is_a?(Regexp) || absolute?(path) }
        end

        private

        def absolute?(path)
          path.is_a?(String) && path.start_with?("/")
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

      # Some of the choices, or none.
      Subset = Data.define(:choices) do
        def expected
          "any of #{choices.join(", ")} (in the environment with commas between, or off; in Ruby an array)"
        end

        def parse(text)
          return [] if text.downcase == "off"
          text.split(",").map { |name| name.strip.downcase.to_sym }
        end

        def valid?(value)
          value.is_a?(Array) && (value - choices).empty?
        end
      end

      # Switches by name. One that is left out is on.
      Switches = Data.define(:names) do
        def expected
          "a hash of #{names.join(", ")}, each true or false (in the environment #{names.first}=off)"
        end

        def parse(text)
          pairs = text.downcase.split(",").map { |pair| pair.strip.split("=", 2) }
          return unless pairs.all? { |_, switch| %w[on off].include?(switch) }
          pairs.to_h { |name, switch| [name.to_sym, switch == "on"] }
        end

        def valid?(value)
          value.is_a?(Hash) && (value.keys - names).empty? && (value.values - [true, false]).empty?
        end
      end

      # YJIT: on, off, or on with options. `after: :boot` changes nothing, as no other moment is possible.
      Jit = Data.define do
        def expected
          ":on, :off, or {after: :boot, mem_size: 64, call_threshold: 31, stats: :quiet, stats_share: 0.1} " \
            "(mem_size: 1 to 2048 MiB, stats_share: above 0 to 1; in the environment mem_size=64)"
        end

        def parse(text)
          return text.downcase.to_sym if %w[on off].include?(text.downcase)
          pairs = text.scan(/(mem_size|call_threshold|stats|stats_share)=([\w.]+)/)
          understood = pairs.map { |pair| pair.join("=") }.join(",")
          return if pairs.empty? || understood != text
          pairs.to_h { |name, given| [name.to_sym, read(name, given)] }
        end

        def valid?(value)
          return value == :on || value == :off unless value.is_a?(Hash)
          value.all? { |name, given| option?(name, given) }
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

      Callback = Data.define do
        def expected = "something that answers call(figures), such as ->(figures) { log(figures.stalled) }"

        def parse(_text) = nil

        def valid?(value) = value.respond_to?(:call)
      end

      Share = Data.define do
        def expected = "a number from 0.0 to 1.0"

        def parse(text) = Float(text, exception: false)

        def valid?(value)
          value.is_a?(Numeric) && value.real? && (0..1).cover?(value)
        end
      end

      Target = Data.define do
        def expected
          "an IO, a Logger, an absolute path, or in the environment stderr, stdout, off or an absolute path"
        end

        def choices = %w[stderr off]

        def parse(text)
          return text if text.start_with?("/")
          {"stderr" => $stderr, "stdout" => $stdout, "off" => IO::NULL}[text.downcase]
        end

        def valid?(value)
          return path?(value) if value.is_a?(String)
          value.respond_to?(:write) || value.respond_to?(:warn)
        end

        private

        def path?(text)
          (text.start_with?("/") && !text.include?("\0")) || text == IO::NULL
        end
      end

      # The rule by which processes capture by themselves, as a Hash or as one line.
      CaptureRule = Data.define do
        def expected
          '"stall > 50 ms", "wall > 2 s", "wall > p99 x 2", joined by "or", ' \
            'or {stall: "50 ms", wall: "p99 x 2", only: "GET /orders", every: 60, ' \
            "events: 200_000, stacks: true} (every: 1 to 86400 s, events: 1024 to 4194304; " \
            "in the environment stall > 50 ms, only=GET /orders), or :off"
        end

        def parse(text)
          (text.downcase == "off") ? :off : text
        end

        def valid?(value)
          value == :off || !Capture::Rule.from(value).nil?
        end
      end

      # Where lines of statistics go; with a Hash also how often and how many.
      StatsLog = Data.define do
        def expected
          ":stdout, :stderr, an absolute path, a Logger, :off, " \
            "or {to: :stdout, every: 60, format: :json or :emf, sample: 1.0, workers: 1, " \
            'namespace: "Holdup"} (every: 1 to 86400 s, sample: above 0 to 1; ' \
            "in the environment to=stdout,every=60,format=emf)"
        end

        def parse(text)
          return target(text) if text.start_with?("/") || !text.include?("=")
          pairs = text.split(",").map { |pair| pair.split("=", 2) }
          read = pairs.to_h { |name, given| [name.to_sym, option(name, given.to_s)] }
          read unless read.value?(nil) || read.size < pairs.size
        end

        def valid?(value)
          return true if value == :off
          return target?(value) unless value.is_a?(Hash)
          value.all? { |name, given| option?(name, given) }
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
          when :namespace then namespace?(given)
          end
        end

        def namespace?(given)
          given.is_a?(String) && given.match?(%r{\A[\w./#:-]{1,255}\z}) && !given.start_with?("AWS/", ":")
        end
      end

      # People who may see the dashboard: a user with a password, those that a block lets in, or everybody.
      WebAuth = Data.define do
        def expected
          '{username: "ops", password: "..."}, something that answers call(env), or :none ' \
            "(in the environment user:password, or none)"
        end

        # The message does not repeat an invalid text, which may contain part of a password.
        def parse(text)
          return :none if text == "none"
          username, password = text.split(":", 2)
          password ? {username:, password:} : :unreadable
        end

        # What messages show of a wrong value: the rest may contain a password.
        def masked(value)
          value.is_a?(Symbol) ? value : value.class
        end

        def valid?(value)
          value == :none || value.respond_to?(:call) || (value.is_a?(Hash) && credentials?(value))
        end

        private

        def credentials?(value)
          return false unless value.keys.sort == %i[password username]
          value.values.all? { |text| text.is_a?(String) && !text.empty? }
        end
      end
    end
  end
end
