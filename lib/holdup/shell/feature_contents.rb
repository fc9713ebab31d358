# frozen_string_literal: true

module Holdup
  # The table of contents of a feature, which its feature.rb has as `Feature`. It names constants of the
  # feature instead of having them, so that it can be read without loading a store or a view.
  #
  # - `about`: what it answers, for docs/internals/architecture.md
  # - `uses`: folders of the other features whose constants it uses; `offers`: those of its own constants that
  #   other features may use, with what is in them
  # - `commands`, `pages`, `tools`: Arrays of the entries below
  # - `checks`: of the doctor: {name of a constant => place}
  # - `rules`: of advice: names of modules, each a theme (all its constants with a method `call` are rules) or
  #   one rule
  # - `marks`: Array of the entries below: what it marks in charts over time
  # - `routes`: names of classes that answer addresses of the dashboard which are no pages
  # - `parts`: what the collector and the dashboard ask it for: {role => name of a constant}
  FeatureContents = Data.define(
    :commands, :pages, :tools, :checks, :rules, :marks, :routes, :parts, :about, :uses, :offers
  ) do
    # @return [FeatureContents] with these entries
    # @param commands [Array<Hash{Symbol => Object}>] members of CommandEntry; pages, tools and marks
    #   likewise
    def self.of(commands: [], pages: [], tools: [], checks: {}, rules: [], marks: [], routes: [], parts: {},
      about: nil, uses: [], offers: [])
      new(
        commands: commands.map { |entry| self::CommandEntry.new(**entry) }.freeze,
        pages: pages.map { |entry| self::PageEntry.new(**entry) }.freeze,
        tools: tools.map { |entry| self::ToolEntry.new(**entry) }.freeze,
        checks: checks.freeze,
        rules: rules.freeze,
        marks: marks.map { |entry| self::MarksEntry.new(**entry) }.freeze,
        routes: routes.freeze,
        parts: parts.freeze,
        about:,
        uses: uses.freeze,
        offers: offers.freeze
      )
    end
  end

  # Entries have a `place`, by which the entries of all features are sorted, and a `constant`: the name of
  # what they stand for, in the feature's namespace.
  class FeatureContents
    # - `name`: what is typed; `also`: two words that can be typed for it
    # - `summary`: its line in `holdup help`; `group`: one of CLI::Registry::GROUPS, nil: only
    #   `holdup help --all` lists it
    # - `examples`: arguments, the most usual first
    # - `warns`: whether Holdup first warns of variables of the environment that are no settings; false: the
    #   command says it itself, or reads none
    # - `brief`: whether it answers from a store or from this host and ends: it may end before garbage is
    #   collected
    CommandEntry = Data.define(
      :name, :also, :place, :summary, :examples, :group, :constant, :warns, :brief
    ) do
      def initialize(name:, place:, summary:, also: nil, examples: [""], group: nil, constant: "Command",
        warns: true, brief: false)
        super(name:, place:, summary:, examples: examples.freeze, also:, group:, constant:, warns:, brief:)
      end
    end

    # `name` is its part of the address; `section`: the entry of the menu that it belongs to, one of
    # Web::Pages::SECTIONS; `listed`: whether the other pages of the section link to it; `former`: names that
    # it had in addresses
    PageEntry = Data.define(:name, :place, :section, :listed, :former, :constant) do
      def initialize(name:, place:, section:, listed: true, former: [], constant: "Page") = super
    end

    # What is marked in charts over time. `constant`: has `call(store, from_s:, to_s:, words:)`, which gives
    # Array of View::Chart::Mark; `page`: of the dashboard, which a click on one leads to
    MarksEntry = Data.define(:page, :place, :constant)

    # A tool for assistants. `command`: the words of the command that it is; `purposes`: of its options that
    # the tool takes, nil for any; `constant`: what makes its answer, nil: the command does
    ToolEntry = Data.define(:name, :place, :command, :description, :purposes, :constant) do
      def initialize(name:, place:, command:, description:, purposes: nil, constant: nil) = super
    end
  end
end
