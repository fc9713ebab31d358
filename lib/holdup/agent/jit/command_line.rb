# frozen_string_literal: true

module Holdup
  module Jit
    # The options that Ruby was started with, as far as they are about a JIT. No Ruby tells its limits, so
    # they are read where they were given. Made early: servers overwrite their command line with a title.
    #
    # - `flags`: {"--yjit-mem-size" => ["64", "RUBYOPT"]}, value ("" without one) and source
    # - `variable`: "RUBY_YJIT_ENABLE" or its like when that starts one
    # - `complete`: whether the command line could be read
    CommandLine = Data.define(:flags, :variable, :complete) do
      # @param env [#[]] the environment
      # @param cmdline [String] file with the command line, each argument ended by a zero byte
      # @return [CommandLine]
      def self.read(env: ENV, cmdline: "/proc/self/cmdline")
        program, *arguments = File.readable?(cmdline) ? File.binread(cmdline).split("\0") : []
        complete = File.basename(program.to_s).start_with?("ruby")
        leading = complete ? arguments.take_while.with_index { |argument, index|
          argument.start_with?("-") || takes_value?(
            arguments, index
          )
        } : []
        flags = {**parse(leading, "command line"), **parse(env["RUBYOPT"].to_s.b.split, "RUBYOPT")}
        new(flags:, variable: variable(env), complete:)
      end

      # @return [Boolean] whether an argument is the value of the one before it
      def self.takes_value?(arguments, index)
        index.positive? && CommandLine::WITH_VALUE.include?(arguments[index - 1])
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
      private_class_method :takes_value?, :parse, :variable

      # @param name [String] "--yjit-mem-size"
      # @return [Integer, nil]
      def number(name)
        Integer(flags.dig(name, 0).to_s, 10, exception: false)
      end

      # @return [String] where an option comes from, or why it has its default
      def source(name)
        flags.dig(name, 1) || (complete ? "default" : "assumed default")
      end

      # @return [String, nil] what starts a JIT together with Ruby: every option of it does, unless told to
      #   wait
      def at_boot
        return variable if flags.empty?
        (flags.keys.any? { |name| name.end_with?("jit-disable") }) ? nil : flags.values.first.last
      end

      # @return [String, nil] all of them, for the setting
      def to_s
        unless flags.empty?
          flags.map { |name, (value, _)| value.empty? ? name : "#{name}=#{value}" }.join(" ")
        end
      end
    end

    # Options of Ruby that may stand apart from their value.
    CommandLine::WITH_VALUE = %w[-r -I -C -E -e].freeze
  end
end
