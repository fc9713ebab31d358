# frozen_string_literal: true

module Holdup
  module Queries
    # An option, declared once. From it come the parser and the help of a command, the arguments of an
    # assistant's tool, and the commands that a report suggests.
    #
    # - `spec`: "--limit N", as help shows it; `help`: lines
    # - `type`: one of OptionTypes, or another object with their methods
    # - `key`: of the value
    # - `purpose`: :selection chooses the measurements that are read, :question is another part of what was
    #   asked, :output is the rest. Suggested commands repeat the first two
    # - `default`: the value if it is not given; nil if the command has to tell that
    # - `tool`: what an assistant is told; nil: assistants are not offered it
    Option = Data.define(:spec, :type, :help, :key, :purpose, :default, :tool) do
      class << self
        # @param spec [String] "--limit N"
        # @param help [Array<String>] lines
        # @param more [Hash{Symbol => Object}] key, purpose, default, tool
        def declare(spec, type, *help, **more) = new(spec:, type:, help:, **more)

        # An option without a value.
        # @param value [Object] that it stands for
        def switch(spec, *help, value: true, **) = declare(spec, OptionTypes::Switch.new(value), *help, **)

        def text(spec, *help, **) = declare(spec, OptionTypes::Text.new, *help, **)

        # @param known [Array<Symbol, String>]
        def choice(spec, known, *help, **) = declare(spec, OptionTypes::Choice.new(known), *help, **)

        # @param range [Range<Integer>]
        def whole(spec, range, *help, **) = declare(spec, OptionTypes::Whole.new(range), *help, **)

        def positive(spec, *help, **) = declare(spec, OptionTypes::Positive.new, *help, **)

        # Its value is nanoseconds.
        def duration(spec, *help, **) = declare(spec, OptionTypes::Duration.new, *help, **)

        # @param range [Range<Numeric>] of seconds
        def seconds(spec, range, *help, **) = declare(spec, OptionTypes::Seconds.new(range), *help, **)

        def share(spec, *help, **) = declare(spec, OptionTypes::Share.new, *help, **)
      end

      def initialize(spec:, type:, help:, key: nil, purpose: :output, default: nil, tool: nil)
        key ||= spec[/[a-z][a-z-]*/].tr("-", "_").to_sym
        super(spec:, type:, help: [*help].freeze, key:, purpose:, default:, tool:)
      end

      # @return [String] "--limit"
      def flag = spec[/\A\S+/]

      # @return [String] "limit"
      def name = flag.delete_prefix("--")

      # @param text [String, nil] as it was given
      # @param called [String] for messages
      # @return [Object] its value
      # @raise [UsageError]
      def read(text, now_s:, called: flag) = type.read(called, text, now_s)

      # Whether a suggested command repeats it.
      def repeated? = purpose != :output

      # Whether it means the same in another command.
      # @param other [Option]
      def same?(other) = repeated? && flag == other.flag && purpose == other.purpose

      # @return [Hash{Symbol => Object}] JSON Schema of a tool's argument
      def schema
        facts = type.schema
        {type: facts.fetch(:type), description: tool, **facts.except(:type)}
      end
    end
  end
end
