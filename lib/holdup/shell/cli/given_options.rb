# frozen_string_literal: true

module Holdup
  class CLI
    # What was given on a command line.
    #
    # - `values`: by key; `texts`: as they were written, by option
    # - `options`: the Options that they were read with; `now_s`: when, which a time ago is relative to
    # - `help`: whether that was asked for, instead of the command
    # - `language`: that --lang names, also where the command says nothing in another language; nil: none
    GivenOptions = Data.define(:values, :texts, :options, :now_s, :help, :language) do
      def initialize(values:, texts:, options:, now_s:, help: false, language: nil) = super

      # @return [Hash{Symbol => Object}] with the values of options that were not given
      def with_defaults = {**options.defaults, **values}

      # @param name [String] of an option that takes a point in time
      # @return [Boolean] whether it is a time ago, or the default, and so moves on with the clock
      def moves?(name)
        option = options.only(name).first
        text = texts[option] or return true
        option.read(text, now_s: now_s + 1) != option.read(text, now_s:)
      end

      # @return [Hash{String => String}] what chose the answer, for the same command again
      def again = taken_by(options)

      # A password is not shown, because reports are passed on.
      # @param others [Options] of another command
      # @return [Hash{String => String}] what chose the answer, as far as the other command takes it too
      def taken_by(others)
        options.ordered.filter_map { |option|
          next unless texts.key?(option) && others.declared.any? { |other| option.same?(other) }
          text = texts.fetch(option)
          [option.flag, (option.flag == "--store") ? Holdup::Store.redact(text) : text]
        }.to_h
      end

      # @param others [Options] of another command
      # @return [Array<String>] options that were given and that it does not have
      def unknown_to(others) = texts.keys.map(&:flag) - others.declared.map(&:flag)

      # @param names [Array<String>] of commands
      # @return [Hash{String => Hash{String => String}}] what each of them takes
      def for_commands(names)
        names.to_h { |name| [name, taken_by(Registry.fetch(name).command::OPTIONS)] }
      end
    end
  end
end
