# frozen_string_literal: true

require_relative "../child_environment"

module Holdup
  module Jit
    # JIT options that Ruby was started with. No Ruby reports its limits, so they are read where they were
    # given, and early, because servers overwrite their command line with a title.
    #
    # - `flags`: {"--yjit-mem-size" => ["64", "RUBYOPT"]}, value ("" without one) and source
    # - `variable`: "RUBY_YJIT_ENABLE" or "RUBY_ZJIT_ENABLE" when that starts a JIT
    # - `complete`: whether the command line could be read
    RubyOptions = Data.define(:flags, :variable, :complete) do
      # @param cmdline [String] file with the command line: arguments, each ended by a zero byte
      def self.read(env: ENV, cmdline: "/proc/self/cmdline")
        program, *arguments = File.readable?(cmdline) ? File.binread(cmdline).split("\0") : []
        complete = File.basename(program.to_s).start_with?("ruby")
        leading = complete ? ruby_options(arguments) : []
        flags = {**parse(leading, "command line"), **parse(of_rubyopt(env), "RUBYOPT")}
        new(flags:, variable: variable(env), complete:)
      end

      def self.of_rubyopt(env)
        ChildEnvironment::RubySwitches.parse(env["RUBYOPT"]).of_jit
      end

      def self.ruby_options(arguments)
        arguments.take_while.with_index do |argument, index|
          argument.start_with?("-") || option_value?(arguments, index)
        end
      end

      def self.option_value?(arguments, index)
        index.positive? && RubyOptions::WITH_VALUE.include?(arguments[index - 1])
      end

      def self.parse(arguments, source)
        arguments.grep(/\A--(?:[yz]jit|jit\z)/).to_h do |argument|
          name, value = argument.split("=", 2)
          [name, [value.to_s, source].freeze]
        end
      end

      def self.variable(env)
        %w[RUBY_YJIT_ENABLE RUBY_ZJIT_ENABLE].find { |name| %w[1 true yes].include?(env[name]) }
      end
      private_class_method :of_rubyopt, :ruby_options, :option_value?, :parse, :variable

      def number(name)
        Integer(flags.dig(name, 0).to_s, 10, exception: false)
      end

      # Where an option comes from, or why it has its default.
      def source(name)
        flags.dig(name, 1) || (complete ? "default" : "assumed default")
      end

      # What starts a JIT together with Ruby: every option does, unless one disables it.
      def at_boot
        return variable if flags.empty?
        return if flags.keys.any? { |name| name.end_with?("jit-disable") }
        flags.values.first.last
      end

      def to_s
        return if flags.empty?
        flags.map { |name, (value, _)| value.empty? ? name : "#{name}=#{value}" }.join(" ")
      end
    end

    # Options of the command line that take a value, which may be the next argument.
    RubyOptions::WITH_VALUE = %w[-r -I -C -E -e].freeze

    # Defaults of a Ruby version, and what can be set while it runs. Sources: yjit/src/options.rs and
    # doc/yjit/yjit.md of the releases. 64 MiB of code in 3.3.0, 48 MiB from 3.3.1, 128 MiB in all from 3.4;
    # `enable` takes a size and a threshold from 4.0.
    RubyDefaults = Data.define(:numbers) do
      def self.parse(text)
        new(numbers: text.split(".").map(&:to_i))
      end

      def at_least?(*others) = (numbers <=> others) >= 0

      def limits_total? = at_least?(3, 4)

      # The size is in MiB.
      def default_size
        return 128 if limits_total?
        at_least?(3, 3, 1) ? 48 : 64
      end

      def takes_options? = at_least?(4, 0)

      def counts_failures? = at_least?(3, 4)

      def minor = numbers.first(2).join(".")

      def counts_interpreted? = !at_least?(4, 0)
    end

    # What `config.jit` asks for: nil leaves the JIT alone, :off disables it, :on enables YJIT once the
    # application is loaded, and a Hash does so with a size or a threshold.
    #
    # - `action`: nil, :off or :on; `mem_size`: MiB for code and metadata together; `call_threshold`: calls
    # - `stats`: :quiet or nil; `stats_share`: share of processes that keep deep statistics and pay for them
    RequestedMode = Data.define(:action, :mem_size, :call_threshold, :stats, :stats_share) do
      def self.from(value)
        return new(action: value) unless value.is_a?(Hash)
        new(action: :on, **value.except(:after))
      end

      def initialize(action: nil, mem_size: nil, call_threshold: nil, stats: nil, stats_share: 0.1)
        super
      end

      def on? = action == :on

      def off? = action == :off

      # Arguments that `enable` takes on this Ruby.
      def arguments(version)
        version.takes_options? ? given : {}
      end

      # Arguments of `enable` for deep statistics; empty where this process keeps none.
      def deep(chance)
        (stats && chance < stats_share) ? {stats:} : {}
      end

      # Wanted options that this Ruby takes only at its start and was not started with.
      # @return [String, nil] what RUBYOPT must contain; nil when nothing is missing
      def rubyopt(version, options)
        return if version.takes_options?
        missing = wanted(version).reject { |name, value| options.number(name) == value }
        return if missing.empty?
        ["--yjit-disable", *missing.map { |name, value| "#{name}=#{value}" }].join(" ")
      end

      private

      def given = {mem_size:, call_threshold:}.compact

      def wanted(version)
        {**size(version), "--yjit-call-threshold" => call_threshold}.compact
      end

      # Ruby 3.3 limits only the code, a third of its memory.
      def size(version)
        return {} unless mem_size
        return {"--yjit-mem-size" => mem_size} if version.limits_total?
        code_size = (mem_size / Jit::TOTAL_TO_CODE).floor
        {"--yjit-exec-mem-size" => [code_size, 1].max}
      end
    end
  end
end
