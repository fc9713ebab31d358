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
  end
end
