# frozen_string_literal: true

module Holdup
  module Queries
    # The options that choose the measurements: of commands, of tools, and, without the dashes, of the
    # dashboard's addresses.
    module SelectionOptions
      KINDS = %i[request job].freeze
      THREADS = (1..10_000)

      # The order is that of suggested commands.
      ALL = [
        Option.declare("--since TIME", OptionTypes::PointInTime.new,
          "30m, 1h (the default), 2d ago, or 2026-11-21T12:00", purpose: :selection,
          tool: "beginning: a time ago (30m, 2h, 2d) or a date (2026-11-21T12:00)"),
        Option.declare("--until TIME", OptionTypes::PointInTime.new, "the same; now is the default",
          purpose: :selection, tool: "end, in the same form; now if left out"),
        Option.text("--store URL", "a path or URL ($HOLDUP_STORE)", purpose: :selection),
        Option.text("--dir DIR", "folder of the segments ($HOLDUP_DIR)", purpose: :selection),
        Option.declare("--app NAME", OptionTypes::OriginPart.new(:app), "only this application (HOLDUP_APP)",
          key: :origin, purpose: :selection, tool: "only this application"),
        Option.declare("--host GLOB", OptionTypes::OriginPart.new(:host), "only hosts like 'web-*'",
          key: :origin, purpose: :selection, tool: "only hosts like this, such as web-*"),
        Option.declare("--role NAME", OptionTypes::OriginPart.new(:role),
          "only processes of this server or job runner: puma", key: :origin, purpose: :selection,
          tool: "only processes of this server or job runner, such as puma"),
        Option.declare("--revision NAME", OptionTypes::OriginPart.new(:revision),
          "only this revision, or how it begins", key: :origin, purpose: :selection,
          tool: "only this revision, or how it begins"),
        Option.choice("--kind KIND", KINDS, "request (the default) or job", purpose: :selection,
          tool: "requests or jobs"),
        Option.text("--name GLOB", "only names like 'Orders*'", purpose: :selection,
          tool: "only names like this, such as Orders*"),
        Option.text("--queue NAME", "only jobs of this queue", purpose: :selection,
          tool: "only jobs of this queue"),
        Option.whole("--threads N", THREADS, "only while processes had N threads", purpose: :selection)
      ].freeze
      BY_NAME = ALL.to_h { |option| [option.name.to_sym, option] }.freeze

      module_function

      # @param name [Symbol] :since
      # @param help [Array<String>] of a command that describes it in its own way
      # @return [Option]
      def [](name, *help)
        option = BY_NAME.fetch(name)
        help.empty? ? option : option.with(help:)
      end

      # @param since [String] help of `--since`, with its default
      # @return [Array<Option>] `--since` and `--until`
      def span(since) = [self[:since, since], self[:until]]

      # @param from_s [Integer] `--since`, or its default; `to_s` likewise
      # @return [Array(Integer, Integer)] both
      # @raise [UsageError] there is no time between them
      def ordered(from_s, to_s)
        return [from_s, to_s] if from_s < to_s
        raise UsageError.new("--since is not before --until", "swap or correct them")
      end

      # @param parts [Array<Symbol>] members of Origin
      # @return [Array<Option>] `--app`, `--host`, `--role` and `--revision`, or some of them
      def origin(parts = Origin.members) = parts.map { |part| self[part] }

      # @return [Integer] where an option stands in a suggested command; others follow
      def place(option) = ALL.index { |one| one.same?(option) } || ALL.size
    end
  end
end
