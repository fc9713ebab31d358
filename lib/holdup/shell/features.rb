# frozen_string_literal: true

module Holdup
  # What can be asked of Holdup: every folder that has a feature.rb. The registry of commands, the dashboard's
  # menu, the tools for assistants, the checks of the doctor and the rules of advice are made of these files.
  module Features
    FOLDER = File.expand_path("..", __dir__)

    # An entry of the table of contents of the feature `namespace`.
    Listed = Data.define(:namespace, :entry) do
      # @return [Module] what the entry stands for
      def load = namespace.const_get(entry.constant)

      def name = entry.name
    end

    FILES = Dir["#{FOLDER}/{features/*,shell/*,collector}/feature.rb"].sort.freeze

    # @return [Hash{Module => FeatureContents}] by the namespace of the feature
    ALL = FILES.to_h { |file|
      folder = File.dirname(file)
      namespace = Holdup.const_get(LOADER.inflector.camelize(File.basename(folder), folder))
      [namespace, namespace.const_get(:Feature)]
    }.freeze

    class << self
      # @return [Hash{String => FeatureContents}] by folder: "features/advise", "collector"
      def folders
        FILES.map { |file| File.dirname(file).delete_prefix("#{FOLDER}/") }.zip(ALL.values).to_h
      end

      # @return [Hash{String => Listed}] by name, in the order of `holdup help`
      def commands = listed(:commands)

      # @return [Hash{String => Listed}] by name, in the order of the menu
      def pages = listed(:pages)

      # @return [Hash{String => Listed}] by name
      def tools = listed(:tools)

      # @return [Array<Listed>] what marks charts over time; where several marks are near, the first counts
      def marks = entries(:marks).sort_by { |one| one.entry.place }

      # @return [Array<Module>] of the doctor, in the order of its report
      def checks
        all = ALL.flat_map do |namespace, contents|
          contents.checks.map { |name, place| [place, name, namespace] }
        end
        all.sort_by { |place, name, _| [place, name] }.map { |_, name, namespace| namespace.const_get(name) }
      end

      # @param of [Module, nil] only of this feature
      # @return [Array<Module>] of advice
      def rules(of: nil)
        (of ? ALL.slice(of) : ALL).flat_map do |namespace, contents|
          contents.rules.flat_map { |name| rules_of(namespace.const_get(name)) }
        end
      end

      # @return [Array<Class>] what answers addresses of the dashboard that are no pages
      def routes
        ALL.flat_map { |namespace, contents| contents.routes.map { |name| namespace.const_get(name) } }
      end

      # @param role [Symbol] that the collector or the dashboard knows it by
      # @return [Module, nil] nil: no feature has it
      def part(role)
        namespace, contents = ALL.find { |_, one| one.parts.key?(role) }
        namespace&.const_get(contents.parts.fetch(role))
      end

      private

      # @return [Array<Module>] the rules of a theme: its constants that can be called; or the rule itself
      def rules_of(theme)
        return [theme] if theme.respond_to?(:call)
        theme.constants(false).map { |name| theme.const_get(name) }.select { |one| one.respond_to?(:call) }
      end

      def listed(kind)
        entries(kind).sort_by { |one| [one.entry.place, one.name] }.to_h { |one| [one.name, one] }
      end

      def entries(kind)
        ALL.flat_map do |namespace, contents|
          contents.public_send(kind).map { |entry| Listed.new(namespace:, entry:) }
        end
      end
    end
  end
end
